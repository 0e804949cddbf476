/// The names of the keys of one prefix. All keys of this program begin with it, whatever a script says.
package struct RedisKeys: Sendable, Equatable {
    package let prefix: String

    package static let standardPrefix = "resthost"
    /// Without colons, so that no prefix reaches into the keys of another, and without the characters of
    /// patterns.
    package static let advice = "a prefix has 1 to 64 letters, digits, '.', '_' and '-'"

    /// Nil for a prefix with other characters.
    package init?(prefix: String) {
        guard (1...64).contains(prefix.utf8.count),
            prefix.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            })
        else { return nil }
        self.prefix = prefix
    }

    /// The key of a use, such as `cache`.
    package func key(_ use: String, _ rest: String) -> String { "\(prefix):\(use):\(rest)" }

    /// A pattern for `SCAN` that matches the keys of a use that begin with a text, taken literally.
    package func pattern(_ use: String, beginningWith text: String) -> String {
        var pattern = "\(prefix):\(use):"
        for character in text.unicodeScalars {
            if "*?[]^-\\".unicodeScalars.contains(character) { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        return pattern + "*"
    }
}
