/// The first message of a TLS client (RFC 8446 4.1.2), as bytes.
struct ClientHello {
    /// The protocols of ALPN; nil: the extension is missing.
    var protocols: [String]?
    /// The number of bytes in an unknown extension before it.
    var padding = 0

    /// The message, without a record.
    var message: [UInt8] {
        var extensions = Self.number(0xFAFA, 2) + Self.vector([UInt8](repeating: 0, count: padding), 2)
        if let protocols {
            let names = protocols.flatMap { Self.vector(Array($0.utf8), 1) }
            extensions += Self.number(16, 2) + Self.vector(Self.vector(names, 2), 2)
        }
        // Version, random bytes, session, cipher suites and compressions.
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + Self.vector([1, 2, 3], 1)
            + Self.vector([0x13, 1, 0x13, 2], 2) + Self.vector([0], 1) + Self.vector(extensions, 2)
        return [1] + Self.vector(body, 3)
    }

    /// The message in records with this number of bytes each.
    func records(of size: Int = 16 << 10) -> [UInt8] { Self.records(message, of: size) }

    static func records(_ message: [UInt8], of size: Int = 16 << 10) -> [UInt8] {
        stride(from: 0, to: message.count, by: size).flatMap { start in
            [22, 3, 1] + vector(Array(message[start...].prefix(size)), 2)
        }
    }

    static func vector(_ content: [UInt8], _ size: Int) -> [UInt8] { number(content.count, size) + content }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
