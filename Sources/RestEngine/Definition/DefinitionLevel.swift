/// A level of a definition, which gave some of its properties; `explain` names it (rule 34.7).
public struct DefinitionLevel: Sendable, Hashable, CustomStringConvertible {
    /// What gave the properties.
    public enum Kind: String, Sendable {
        case endpoint, request, modifier
    }

    /// What gave the properties.
    public let kind: Kind
    /// The path of an endpoint, the template of a request, the name of a modifier; may be empty.
    public let name: String
    /// `file:line`; nil where nobody said.
    public let origin: String?

    public init(_ kind: Kind, _ name: String, origin: String? = nil) {
        self.kind = kind
        self.name = name
        self.origin = origin
    }

    /// Without its place.
    public var title: String { name.isEmpty ? kind.rawValue : "\(kind.rawValue) '\(name)'" }

    public var description: String { origin.map { "\(title) (\($0))" } ?? title }
}

/// A property, and the number of the level that gave it. Which one that was makes no difference between two
/// definitions (34.4).
struct Placed<Value: Sendable & Hashable>: Sendable, Hashable {
    var value: Value
    var level: Int

    init(_ value: Value, _ level: Int) {
        self.value = value
        self.level = level
    }

    static func == (a: Placed, b: Placed) -> Bool { a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
