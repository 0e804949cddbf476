/// The bytes of a hostile HTTP/2 client (RFC 9113 4.1).
enum HostileFrames {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

    static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        var bytes = [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(stream >> shift & 0xFF)) }
        return bytes + payload
    }

    /// `GET https://localhost/github/a` (RFC 7541 B, 6.2.2).
    static let get: [UInt8] =
        [0x82, 0x87, 0x01, 9] + Array("localhost".utf8) + [0x04, 9] + Array("/github/a".utf8)

    private static func stream(_ index: Int) -> UInt32 { UInt32(2 * index + 1) }

    /// Each is sent after the preface.
    static let floods: [(String, [UInt8])] = [
        (
            "rapid reset",
            (0..<1000).flatMap {
                frame(1, 5, stream($0), get) + frame(3, 0, stream($0), [0, 0, 0, 8])
            }
        ),
        ("settings", (0..<1000).flatMap { _ in frame(4, 0, 0, []) }),
        ("pings", (0..<1000).flatMap { _ in frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0]) }),
        ("priorities", (0..<1000).flatMap { _ in frame(2, 0, 1, [0, 0, 0, 3, 1]) }),
        (
            "empty data",
            frame(1, 4, 1, [0x83] + get.dropFirst()) + (0..<100).flatMap { _ in frame(0, 0, 1, []) }
        ),
        (
            "continuations",
            frame(1, 1, 1, get) + (0..<100).flatMap { _ in frame(9, 0, 1, []) }
        ),
        (
            "a long header",
            frame(1, 1, 1, get)
                + (0..<4).flatMap { _ in
                    frame(9, 0, 1, [UInt8](repeating: 0x82, count: 16_000))
                }
        ),
        (
            "a long field of few bytes",
            // A literal of 4,000 bytes that is indexed, and then 60 references to it.
            frame(
                1, 5, 1,
                get + [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4000)
                    + [UInt8](repeating: 0xBE, count: 60))
        ),
        (
            "errors of streams",
            (0..<1000).flatMap { frame(1, 5, stream($0), get + [0x00, 1, 0x58, 1, 0x31]) }
        ),
        (
            "more streams than there may be, whose answers aren't taken",
            frame(4, 0, 0, [0, 4, 0, 0, 0, 0]) + (0..<200).flatMap { frame(1, 5, stream($0), get) }
        ),
        ("a field without a name", frame(1, 5, 1, get + [0x00, 0, 1, 0x31])),
        ("another preface", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
        ("data without a stream", frame(0, 0, 1, [1])),
        ("an even stream", frame(1, 5, 2, get)),
        ("a frame that is too long", frame(0, 0, 1, [UInt8](repeating: 0, count: 20_000))),
        ("a push", frame(5, 4, 1, [0, 0, 0, 2] + get)),
        ("a window of nothing", frame(8, 0, 0, [0, 0, 0, 0])),
        ("a window that overflows", frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF])),
    ]
}
