/// One `name=value` of a query, with its exact text.
public struct QueryParameter: Sendable, Equatable {
    /// As in the URL.
    public let text: String
    /// As it is in the URL, percent-encoded.
    public let rawName: String
    /// Nil for a bare name without `=`.
    public let rawValue: String?

    init(_ text: Substring) {
        self.text = String(text)
        let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
        rawName = String(text[..<(equals ?? text.endIndex)])
        rawValue = equals.map { String(text[text.utf8.index(after: $0)...]) }
    }

    /// A new parameter; an empty value is written as a bare name (3.8, D19).
    init(name: String, value: String) {
        rawName = PercentEncoding.parameter(name)
        let encoded = PercentEncoding.parameter(value)
        // Nothing at all would be no parameter.
        let isBare = encoded.isEmpty && !rawName.isEmpty
        rawValue = isBare ? nil : encoded
        text = isBare ? rawName : rawName + "=" + encoded
    }

    /// Decoded; bytes that are not UTF-8 are replaced by U+FFFD. `+` stays a plus.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }

    /// Decoded likewise; empty for a bare name.
    public var value: String {
        String(decoding: PercentEncoding.decodeBytes((rawValue ?? "").utf8), as: UTF8.self)
    }

    var nameBytes: [UInt8] { PercentEncoding.decodeBytes(rawName.utf8) }
}
