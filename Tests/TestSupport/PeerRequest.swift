public import RestEngine

/// A request as it was received.
public struct PeerRequest: Sendable {
    public var method: String
    public var target: String
    public var headers: Headers
    /// The body without its framing; empty if the peer doesn't read bodies.
    public var body: [UInt8]
    /// From 1, in the order in which the connections were accepted.
    public var connection: Int
    /// Request line and header lines, byte for byte.
    public var head: String

    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The length of the head with its empty line.
    public var headBytes: Int { head.utf8.count }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Nil if the head has no request line.
    init?(head: [UInt8], connection: Int) {
        self.head = String(decoding: head, as: UTF8.self)
        self.connection = connection
        body = []
        // A line break is one Character, CR and LF together.
        let lines = self.head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        headers = Headers(
            lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return (String(line[..<colon]), String(value))
            })
    }
}
