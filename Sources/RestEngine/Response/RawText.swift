/// Text as it was given, which may be no UTF-8: what an error says can't be sent.
public struct RawText: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// As they are.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(_ text: String) { bytes = Array(text.utf8) }

    public init(stringLiteral text: String) { self.init(text) }

    /// With U+FFFD for what is no UTF-8.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
