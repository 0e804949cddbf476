import RestEngine

/// The number of a compiled schema.
typealias SchemaID = Int

/// One keyword of a schema, or several that are read together.
enum SchemaKeyword: Sendable {
    /// The schema `false`.
    case nothing

    // References and combinations, which look at the same value.
    case reference(SchemaID)
    case dynamicReference(SchemaID, anchor: Name)
    case allOf([SchemaID])
    case anyOf([SchemaID])
    case oneOf([SchemaID])
    case not(SchemaID)
    case conditional(SchemaID, then: SchemaID?, otherwise: SchemaID?)
    case dependentSchemas([Name: SchemaID])

    // Any value.
    case types(SchemaTypes)
    case constant([UInt8], text: String)
    case enumeration(Set<[UInt8]>, text: String)

    // Numbers.
    case bound(SchemaBound)
    case multipleOf(Divisor, text: String)

    // Strings.
    case length(least: Bool, Int)
    case pattern(SchemaPattern)
    case format(SchemaFormat)

    // Arrays.
    case itemCount(least: Bool, Int)
    case uniqueItems
    case items(first: [SchemaID], rest: SchemaID?)
    case contains(SchemaID, least: Int, most: Int?)

    // Objects.
    case memberCount(least: Bool, Int)
    case required([String])
    case dependentRequired([(name: String, needs: [String])])
    case members(SchemaMembers)
    case propertyNames(SchemaID)

    // Members and elements that other keywords left over; these come last.
    case unevaluatedItems(SchemaID)
    case unevaluatedProperties(SchemaID)

    /// Schemas that look at the same value, for finding circles.
    var schemasOfSameValue: [SchemaID] {
        switch self {
        case .reference(let id), .dynamicReference(let id, _), .not(let id): [id]
        case .allOf(let ids), .anyOf(let ids), .oneOf(let ids): ids
        case .conditional(let id, let then, let otherwise): [id] + [then, otherwise].compactMap { $0 }
        case .dependentSchemas(let schemas): Array(schemas.values)
        default: []
        }
    }

    var needsEvaluation: Bool {
        switch self {
        case .unevaluatedItems, .unevaluatedProperties: true
        default: false
        }
    }
}

/// `properties`, `patternProperties` and `additionalProperties`.
struct SchemaMembers: Sendable {
    var byName: [Name: SchemaID] = [:]
    var byPattern: [(pattern: SchemaPattern, schema: SchemaID)] = []
    var others: SchemaID?
}

/// `minimum`, `maximum`, `exclusiveMinimum` or `exclusiveMaximum`.
struct SchemaBound: Sendable {
    let keyword: String
    let number: ExactNumber
    let int: Int64?
    let text: String

    /// Whether a number is on the allowed side.
    func allows(_ tree: Tree) -> Bool {
        if let int, let other = tree.int { return allows(other, int) }
        guard let other = ExactNumber(tree) else {
            // Infinities, which only Lua makes; NaN is never allowed.
            guard let double = tree.double, double.isInfinite else { return false }
            return keyword.hasSuffix("inimum") == (double > 0)
        }
        return allows(other, number)
    }

    private func allows<Number: Comparable>(_ value: Number, _ bound: Number) -> Bool {
        switch keyword {
        case "minimum": value >= bound
        case "maximum": value <= bound
        case "exclusiveMinimum": value > bound
        default: value < bound
        }
    }

    var sentence: String {
        switch keyword {
        case "minimum": "at least \(text)"
        case "maximum": "at most \(text)"
        case "exclusiveMinimum": "more than \(text)"
        default: "less than \(text)"
        }
    }
}

/// A set of types.
struct SchemaTypes: OptionSet, Sendable, CustomStringConvertible {
    let rawValue: UInt8

    static let null = SchemaTypes(rawValue: 1)
    static let boolean = SchemaTypes(rawValue: 2)
    static let integer = SchemaTypes(rawValue: 4)
    static let fraction = SchemaTypes(rawValue: 8)
    static let string = SchemaTypes(rawValue: 16)
    static let array = SchemaTypes(rawValue: 32)
    static let object = SchemaTypes(rawValue: 64)
    static let number: SchemaTypes = [.integer, .fraction]

    static let byName: [(name: String, type: SchemaTypes)] = [
        ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number),
        ("string", .string), ("array", .array), ("object", .object),
    ]

    /// The type of a value.
    init(of tree: Tree) {
        switch tree.kind {
        case .null: self = .null
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .double: self = ExactNumber(tree)?.isInteger == true ? .integer : .fraction
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        // A Lua table that JSON can't hold.
        case .table: self = []
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    var description: String {
        let names = Self.byName.filter {
            isSuperset(of: $0.type) && ($0.name != "integer" || !isSuperset(of: .number))
        }
        return names.map(\.name).joined(separator: " or ")
    }

    /// The type of a value for messages.
    static func name(of tree: Tree) -> String {
        let types = SchemaTypes(of: tree)
        return types.isEmpty ? "table with mixed keys" : types == .fraction ? "number" : types.description
    }
}
