import RestEngine

/// Where a schema is: a document, and the way to the schema in it.
struct SchemaPlace: Hashable, Sendable {
    let document: Int
    let pointer: JSONPointer

    func appending(_ tokens: String...) -> SchemaPlace {
        SchemaPlace(document: document, pointer: JSONPointer(tokens: pointer.tokens + tokens))
    }
}

/// A schema with an identifier of its own, or a document.
struct SchemaResource: Sendable {
    let uri: String
    let place: SchemaPlace
    var anchors: [Name: SchemaPlace] = [:]
    var dynamicAnchors: [Name: SchemaPlace] = [:]
    /// False if the `$schema` leaves out the vocabulary of validation.
    var validates = true
    /// True if the `$schema` has the vocabulary that asserts formats.
    var assertsFormats = false
}

/// All schemas that can be referred to.
struct SchemaRegistry {
    /// Ends the work by an error when the caller's time is over.
    let poll: () throws -> Void
    /// Whether a reference leads to the schemas of JSON Schema itself.
    private(set) var mentionsStandard = false
    private(set) var documents: [(uri: String, tree: Tree)] = []
    private(set) var resources: [SchemaResource] = []
    private var byURI: [Name: Int] = [:]
    private var byPlace: [SchemaPlace: Int] = [:]

    init(poll: @escaping () throws -> Void) { self.poll = poll }

    /// Keywords whose value is a schema, a list of schemas, or schemas by name.
    private static let single: Set<String> = [
        "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    ]
    private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let named: Set<String> = [
        "$defs", "definitions", "properties", "patternProperties", "dependentSchemas",
    ]

    /// Adds a document and the identified schemas in it.
    mutating func add(_ tree: Tree, uri: String) throws {
        let base = URIReference(uri).withoutFragment
        documents.append((base, tree))
        let place = SchemaPlace(document: documents.count - 1, pointer: JSONPointer())
        let resource = addResource(SchemaResource(uri: base, place: place))
        try scan(tree, place, resource)
    }

    private mutating func addResource(_ resource: SchemaResource) -> Int {
        resources.append(resource)
        byPlace[resource.place] = resources.count - 1
        byURI[Name(resource.uri)] = resources.count - 1
        return resources.count - 1
    }

    private mutating func scan(_ tree: Tree, _ place: SchemaPlace, _ outer: Int) throws {
        guard tree.kind == .object else { return }
        try poll()
        noteStandard(tree)
        var resource = outer
        if let id = tree["$id"] {
            guard let id = id.string else { throw fault(place, "$id", "is no text") }
            let uri = URIReference(id).resolved(against: URIReference(resources[outer].uri)).withoutFragment
            if place.pointer.tokens.isEmpty {
                // The document keeps the name under which it was given, too.
                byURI[Name(uri)] = outer
                resources[outer] = SchemaResource(uri: uri, place: place)
            } else {
                resource = addResource(SchemaResource(uri: uri, place: place))
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard let anchor = tree[keyword] else { continue }
            guard let anchor = anchor.string else { throw fault(place, keyword, "is no text") }
            resources[resource].anchors[Name(anchor)] = place
            if keyword == "$dynamicAnchor" { resources[resource].dynamicAnchors[Name(anchor)] = place }
        }
        for (keyword, value) in tree.pairs {
            if Self.single.contains(keyword) {
                try scan(value, place.appending(keyword), resource)
            } else if Self.lists.contains(keyword) {
                for (index, element) in value.elements.enumerated() {
                    try scan(element, place.appending(keyword, "\(index)"), resource)
                }
            } else if Self.named.contains(keyword) {
                for (name, value) in value.pairs { try scan(value, place.appending(keyword, name), resource) }
            }
        }
    }

    private mutating func noteStandard(_ tree: Tree) {
        for keyword in ["$schema", "$ref", "$dynamicRef"] {
            guard let text = tree[keyword]?.string, text.contains("json-schema.org/draft/2020-12/") else {
                continue
            }
            mentionsStandard = true
        }
    }

    // MARK: References

    func resource(uri: String) -> Int? { byURI[Name(uri)] }

    /// The identified schema or document that a place belongs to.
    func resource(of place: SchemaPlace) -> Int {
        var tokens = place.pointer.tokens
        while true {
            let outer = SchemaPlace(document: place.document, pointer: JSONPointer(tokens: tokens))
            if let found = byPlace[outer] { return found }
            guard tokens.popLast() != nil else {
                preconditionFailure("SchemaRegistry: a document is a resource")
            }
        }
    }

    func tree(at place: SchemaPlace) -> Tree? { place.pointer.value(in: documents[place.document].tree) }

    /// The schema that a reference leads to, and the dynamic anchor that it named.
    func resolve(
        _ reference: String, from resource: Int
    ) throws -> (place: SchemaPlace, dynamicAnchor: Name?) {
        let uri = URIReference(reference).resolved(against: URIReference(resources[resource].uri))
        guard let found = byURI[Name(uri.withoutFragment)] else {
            throw JSONToolsError(
                "refers to '\(reference.shortened)', and there is no document '\(uri.withoutFragment.shortened)': "
                    + "give it in options.documents")
        }
        let target = resources[found]
        let fragment = Self.decode(uri.fragment ?? "")
        guard !fragment.isEmpty, fragment.utf8.first != UInt8(ascii: "/") else {
            let pointer = try JSONPointer(fragment)
            let place = SchemaPlace(
                document: target.place.document,
                pointer: JSONPointer(tokens: target.place.pointer.tokens + pointer.tokens))
            guard tree(at: place) != nil else {
                throw JSONToolsError("refers to '\(reference.shortened)', and there is no schema")
            }
            return (place, nil)
        }
        guard let place = target.anchors[Name(fragment)] else {
            throw JSONToolsError("refers to '\(reference.shortened)', and there is no such '$anchor'")
        }
        return (place, target.dynamicAnchors[Name(fragment)] == place ? Name(fragment) : nil)
    }

    private static func decode(_ fragment: Substring) -> String {
        guard fragment.contains("%") else { return String(fragment) }
        return String(decoding: PercentEncoding.decodeBytes(Array(fragment.utf8)), as: UTF8.self)
    }

    /// Notes what the vocabularies of a resource's `$schema` ask for.
    mutating func note(vocabularies: Tree, of resource: Int) {
        let base = "https://json-schema.org/draft/2020-12/vocab/"
        resources[resource].validates = vocabularies[base + "validation"] != nil
        resources[resource].assertsFormats = vocabularies[base + "format-assertion"] != nil
    }

    // MARK: Errors

    /// The place for people: a pointer, behind the document's URI if it isn't the first.
    func text(_ place: SchemaPlace) -> String {
        place.document == 0 ? place.pointer.description : "\(documents[place.document].uri)#\(place.pointer)"
    }

    /// The place in a sentence.
    func label(_ place: SchemaPlace) -> String { Self.label(text(place)) }

    static func label(_ place: String) -> String { place.isEmpty ? "the top" : "'\(place)'" }

    func fault(_ place: SchemaPlace, _ keyword: String, _ message: String) -> JSONToolsError {
        JSONToolsError("'\(keyword)' at \(label(place)) \(message)")
    }
}
