extension Tree {
    /// Decodes JSON text whose objects have no member twice; nil for other text. Two readers of a repeated
    /// member may take different ones (RFC 8259 4), which security depends on in tokens (RFC 7515 4).
    package init?(strictJSON text: [UInt8], limits: Limits) {
        guard let tree = try? Tree(json: text, limits: limits),
            tree.memberCount == Self.colons(outsideOfStrings: text)
        else { return nil }
        self = tree
    }

    /// The members of all objects in it. The decoder keeps the last of several with one name.
    private var memberCount: Int {
        switch kind {
        case .array: elements.reduce(0) { $0 + $1.memberCount }
        case .object: pairs.reduce(count) { $0 + $1.value.memberCount }
        default: 0
        }
    }

    /// Each member of valid JSON has one.
    private static func colons(outsideOfStrings text: [UInt8]) -> Int {
        var count = 0
        var isInString = false
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: ":") where !isInString: count += 1
            default: break
            }
            index += 1
        }
        return count
    }
}
