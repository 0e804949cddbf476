import RestEngine

/// Compiles schemas in the order in which they are found, without recursion.
struct SchemaCompiler {
    var registry: SchemaRegistry
    private let checksFormats: Bool
    private var ids: [SchemaPlace: SchemaID] = [:]
    private var places: [SchemaPlace] = []
    /// The bytes of all compiled regular expressions.
    var patternBytes = 0

    static let mostPatternBytes = 16 << 20
    /// Bytes of all documents.
    private static let mostBytes = 32 << 20

    init(_ schema: Tree, _ options: JSONSchema.Options, _ poll: @escaping () throws -> Void) throws {
        checksFormats = options.checksFormats
        registry = SchemaRegistry(poll: poll)
        let bytes = options.documents.reduce(schema.byteCount) { $0 + $1.schema.byteCount }
        guard bytes <= Self.mostBytes else {
            throw JSONToolsError("the schema takes more than \(Self.mostBytes >> 20) MiB")
        }
        try registry.add(schema, uri: "")
        for (uri, document) in options.documents { try registry.add(document, uri: uri) }
        if registry.mentionsStandard {
            for (uri, document) in StandardSchemas.all where registry.resource(uri: uri) == nil {
                try registry.add(document, uri: uri)
            }
        }
    }

    mutating func compile() throws -> ([JSONSchema.Node], [JSONSchema.Resource]) {
        noteVocabularies()
        _ = try id(of: SchemaPlace(document: 0, pointer: JSONPointer()))
        var anchors: [[Name: SchemaID]] = []
        for resource in registry.resources {
            var ids: [Name: SchemaID] = [:]
            for (name, place) in resource.dynamicAnchors { ids[name] = try id(of: place) }
            anchors.append(ids)
        }
        var nodes: [JSONSchema.Node] = []
        while nodes.count < places.count {
            nodes.append(try node(at: places[nodes.count]))
        }
        try refuseCircles(nodes)
        return (nodes, anchors.map { JSONSchema.Resource(dynamicAnchors: $0) })
    }

    /// The number of a schema, which is compiled later if it is new.
    mutating func id(of place: SchemaPlace) throws -> SchemaID {
        if let known = ids[place] { return known }
        if places.count % 64 == 0 { try registry.poll() }
        guard places.count < JSONSchema.mostSchemas else {
            throw JSONToolsError("there are more than \(JSONSchema.mostSchemas) schemas")
        }
        ids[place] = places.count
        places.append(place)
        return places.count - 1
    }

    private func node(_ place: SchemaPlace, _ resource: Int, _ checks: [SchemaKeyword]) -> JSONSchema.Node {
        JSONSchema.Node(
            place: registry.text(place), resource: resource, checks: checks,
            needsEvaluation: checks.contains(where: \.needsEvaluation))
    }

    private mutating func node(at place: SchemaPlace) throws -> JSONSchema.Node {
        guard let tree = registry.tree(at: place) else {
            throw JSONToolsError("there is no schema at \(registry.label(place))")
        }
        let resource = registry.resource(of: place)
        switch tree.kind {
        case .boolean: return node(place, resource, tree.bool == true ? [] : [.nothing])
        case .object: break
        default:
            throw JSONToolsError(
                "the schema at \(registry.label(place)) is a \(tree.kind.typeName): write an object, true or false"
            )
        }
        var reader = SchemaReader(
            tree: tree, place: place, resource: resource, validates: registry.resources[resource].validates,
            assertsFormats: checksFormats || registry.resources[resource].assertsFormats)
        return node(place, resource, try reader.checks(&self))
    }

    /// A meta-schema may leave out the vocabulary of validation; then its keywords only describe.
    private mutating func noteVocabularies() {
        for (index, resource) in registry.resources.enumerated() {
            guard let schema = registry.tree(at: resource.place)?["$schema"]?.string,
                let meta = registry.resource(uri: URIReference(schema).withoutFragment),
                let vocabularies = registry.tree(at: registry.resources[meta].place)?["$vocabulary"]
            else { continue }
            registry.note(vocabularies: vocabularies, of: index)
        }
    }

    // MARK: Circles

    /// References that come back to their beginning without going into the value would never end.
    private func refuseCircles(_ nodes: [JSONSchema.Node]) throws {
        enum State { case new, open, done }
        var states = Array(repeating: State.new, count: nodes.count)
        for start in nodes.indices where states[start] == .new {
            var path: [(id: SchemaID, next: [SchemaID])] = [(start, Self.next(nodes[start]))]
            states[start] = .open
            while let last = path.last {
                guard let next = last.next.last else {
                    states[last.id] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next.removeLast()
                switch states[next] {
                case .done: continue
                case .open:
                    throw JSONToolsError(
                        "the schema at \(SchemaRegistry.label(nodes[last.id].place)) leads back to "
                            + "\(SchemaRegistry.label(nodes[next].place)) for the same value, without end")
                case .new:
                    states[next] = .open
                    path.append((next, Self.next(nodes[next])))
                }
            }
        }
    }

    private static func next(_ node: JSONSchema.Node) -> [SchemaID] {
        node.checks.flatMap(\.schemasOfSameValue)
    }
}
