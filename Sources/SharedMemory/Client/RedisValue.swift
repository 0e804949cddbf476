/// A reply of the server, or a part of one.
package enum RedisValue: Sendable, Equatable {
    case null
    /// A simple or verbatim text, or a bulk of bytes. Redis promises no encoding.
    case bytes([UInt8])
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case array([RedisValue])
    /// Keys and values in turn, in the order of the server.
    case map([RedisValue])
    /// An error reply: its first word is the code, such as `OOM`.
    case error(String)

    /// The bytes as text; nil for other kinds and for bytes that are not UTF-8.
    package var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// An integer, also one that a script or an old server sent as text.
    package var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes: text.flatMap { Int64($0) }
        default: nil
        }
    }

    package var elements: [RedisValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
