/// A level of a definition that set some of its properties; `explain` names it (rule 34.7).
package struct DefinitionLevel: Sendable, Hashable, CustomStringConvertible {
    /// The construct that set the properties.
    package enum Kind: String, Sendable {
        case endpoint, request, modifier
    }

    /// The construct that set the properties.
    package let kind: Kind
    /// The path of an endpoint, the template of a request, the name of a modifier; may be empty.
    package let name: String
    /// `file:line`; nil where it is unknown.
    package let origin: String?

    package init(_ kind: Kind, _ name: String, origin: String? = nil) {
        self.kind = kind
        self.name = name
        self.origin = origin
    }

    /// The kind and the name, without the source line.
    package var title: String { name.isEmpty ? kind.rawValue : "\(kind.rawValue) '\(name)'" }

    package var description: String { origin.map { "\(title) (\($0))" } ?? title }
}

/// A property, and the number of the level that set it. The number does not count when two definitions are
/// compared (34.4).
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
