/// Patterns of content types: `*` matches one or more characters other than `/` and `+`. Case and parameters
/// are ignored, and a pattern must match the whole type (rules 17.2, D11).
package struct ContentTypeFilter: Sendable {
    /// The patterns as they were written.
    package let patterns: [String]
    private let lowered: [[UInt8]]

    /// Accepts types that match any of the patterns.
    package init(_ patterns: [String]) {
        self.patterns = patterns
        lowered = patterns.map { Array($0.lowercased().utf8) }
    }

    /// Nil, for a failure without a body, matches no pattern (rule 17.2).
    package func matches(_ contentType: String?) -> Bool { matches(KnownContentType(contentType)) }

    func matches(_ type: KnownContentType) -> Bool {
        guard let essence = type.essence else { return false }
        return lowered.contains { Self.mayMatch($0, essence) && Self.matches($0, essence) }
    }

    /// A fast test by the first and last bytes, which excludes most pairs.
    private static func mayMatch(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        guard let first = pattern.first, let last = pattern.last, let begin = text.first, let end = text.last
        else { return true }
        let star = UInt8(ascii: "*")
        return (first == begin || first == star) && (last == end || last == star)
    }

    /// A star matches as little as possible, and more if the rest fails. Only the last star ever needs to
    /// match more: a star does not cross `/` or `+`, so a longer match of an earlier star would reach no new
    /// position.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var position = 0
        var index = 0
        var star: (pattern: Int, text: Int)?
        while true {
            if position < pattern.count, pattern[position] == UInt8(ascii: "*"), isFree(text, index) {
                position += 1
                index += 1
                star = (position, index)
            } else if position < pattern.count, index < text.count, pattern[position] == text[index],
                pattern[position] != UInt8(ascii: "*")
            {
                position += 1
                index += 1
            } else if position == pattern.count, index == text.count {
                return true
            } else {
                guard let last = star, isFree(text, last.text) else { return false }
                star = (last.pattern, last.text + 1)
                (position, index) = (last.pattern, last.text + 1)
            }
        }
    }

    private static func isFree(_ text: [UInt8], _ index: Int) -> Bool {
        index < text.count && text[index] != UInt8(ascii: "/") && text[index] != UInt8(ascii: "+")
    }
}
