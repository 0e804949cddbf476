/// The name of a member. Unlike `String`, two ways to write one letter in Unicode are two names.
struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { text }

    static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    static func < (left: Name, right: Name) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Whether both have the same bytes.
    func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
