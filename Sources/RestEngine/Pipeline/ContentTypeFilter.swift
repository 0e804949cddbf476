/// Patterns of content types: `*` stands for one or more characters other than `/` and `+`; case and parameters are
/// ignored, and each pattern must match as a whole (siesta-semantics 17.2, D11).
public struct ContentTypeFilter: Sendable {
    public let patterns: [String]
    private let lowered: [[UInt8]]

    public init(_ patterns: [String]) {
        self.patterns = patterns
        lowered = patterns.map { Array($0.lowercased().utf8) }
    }

    /// A response without a Content-Type matches nothing.
    public func matches(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let essence = Array(MediaType(contentType).essence.utf8)
        return lowered.contains { Self.matches($0[...], essence[...]) }
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        guard first == UInt8(ascii: "*") else {
            return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
        }
        // The text is a media type of a few dozen bytes, and a pattern has a star or two.
        var rest = text
        while let byte = rest.first, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "+") {
            rest = rest.dropFirst()
            if matches(pattern.dropFirst(), rest) { return true }
        }
        return false
    }
}
