/// Patterns of content types: `*` stands for one or more characters other than `/` and `+`; case and
/// parameters are ignored, and each pattern must match as a whole (rules 17.2, D11).
package struct ContentTypeFilter: Sendable {
    /// The patterns as they were written.
    package let patterns: [String]
    private let lowered: [[UInt8]]

    /// A response passes when any pattern matches its type.
    package init(_ patterns: [String]) {
        self.patterns = patterns
        lowered = patterns.map { Array($0.lowercased().utf8) }
    }

    /// Nil, for a failure without a body, matches nothing (rule 17.2).
    package func matches(_ contentType: String?) -> Bool { matches(KnownContentType(contentType)) }

    func matches(_ type: KnownContentType) -> Bool {
        guard let essence = type.essence else { return false }
        return lowered.contains { Self.mayMatch($0, essence) && Self.matches($0, essence) }
    }

    /// Both begin and end with the same, or with a star: few do, and they are found by four bytes.
    private static func mayMatch(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        guard let (begin, end) = ends(pattern), let (first, last) = ends(text) else { return true }
        let star = UInt8(ascii: "*")
        return (begin == first || begin == star) && (end == last || end == star)
    }

    private static func ends(_ text: [UInt8]) -> (UInt8, UInt8)? {
        text.isEmpty ? nil : (text[0], text[text.count - 1])
    }

    /// A star takes as little as it can, and more when what follows fails. Only the last star ever needs to
    /// take more: none crosses `/` or `+`, so an earlier one could reach nothing new.
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

/// The type of a content, read once for all steps that ask whether it is theirs.
final class KnownContentType: Sendable {
    fileprivate let text: String?
    /// Of its media type; nil without one.
    let essence: [UInt8]?

    init(_ text: String?) {
        self.text = text
        essence = text.map { Array(MediaType($0).essence.utf8) }
    }

    convenience init(_ response: Response) { self.init(response.entity?.contentType) }

    /// After a step, which may have made something else of the content.
    func following(_ response: Response) -> KnownContentType {
        let text = response.entity?.contentType
        return text == self.text ? self : KnownContentType(text)
    }
}

/// The types that came last: hosts get few different ones, again and again.
@EngineActor
final class KnownContentTypes {
    private var types: [KnownContentType] = []
    /// What was asked for last: most steps leave the headers as they are.
    private var last = (headers: Headers(), type: none)
    private static let most = 8
    private nonisolated static let none = KnownContentType(nil as String?)

    nonisolated init() {}

    func type(of response: Response) -> KnownContentType {
        guard let entity = response.entity else { return Self.none }
        let last = last
        if last.headers.isSame(as: entity.headers) { return last.type }
        let type = type(entity.contentType)
        self.last = (entity.headers, type)
        return type
    }

    private func type(_ text: String) -> KnownContentType {
        for index in types.indices where types[index].text == text { return types[index] }
        let type = KnownContentType(text)
        if types.count == Self.most { types.removeFirst() }
        types.append(type)
        return type
    }
}
