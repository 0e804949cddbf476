import Testing

@testable import Gateway

/// The protocols that a client offers by ALPN, read before its handshake (rule 61.1).
@Suite struct ClientHelloReaderTests {
    private typealias Outcome = ClientHelloReader.Outcome

    private func read(_ pieces: [[UInt8]]) -> Outcome {
        var reader = ClientHelloReader()
        for piece in pieces {
            let outcome = reader.take(piece)
            if outcome != .needMore { return outcome }
        }
        return .needMore
    }

    private func read(_ bytes: [UInt8]) -> Outcome { read([bytes]) }

    @Test(arguments: [["h2", "http/1.1"], ["smtp"], [String(repeating: "x", count: 255)], nil])
    func `61.1 A client's offer is read however it is split`(_ protocols: [String]?) {
        let hello = ClientHello(protocols: protocols, padding: 300)
        let expected = Outcome.offers(protocols?.map { Array($0.utf8) })
        for size in [1, 3, 4, 100, 16 << 10] {
            let bytes = hello.records(of: size)
            #expect(read(bytes) == expected)
            #expect(read(bytes.map { [$0] }) == expected)
            #expect(read(bytes.dropLast()) == .needMore)
            // Bytes that follow don't belong to the message.
            #expect(read(bytes + [0, 1, 2]) == expected)
        }
    }

    @Test func `61.1 A message up to the limit is read, and a longer one is left to the TLS library`() {
        let rest = ClientHello(protocols: ["smtp"]).message.count - 4
        let longest = ClientHello(protocols: ["smtp"], padding: ClientHelloReader.mostBytes - rest)
        #expect(read(longest.records()) == .offers([Array("smtp".utf8)]))
        let longer = ClientHello(protocols: ["smtp"], padding: ClientHelloReader.mostBytes - rest + 1)
        // The message's head announces its length.
        #expect(read(Array(longer.records().prefix(9))) == .offers(nil))
    }

    @Test func `61.1 What is malformed is left to the TLS library`() {
        let message = ClientHello(protocols: ["smtp"]).message
        for count in 0..<(message.count - 4) {
            let cut = [1] + ClientHello.vector(Array(message[4...].prefix(count)), 3)
            #expect(read(ClientHello.records(cut)) == .offers(nil), "\(count) bytes")
        }
        for bytes: [UInt8] in [
            // First a record of another type, an empty one, another version, and another message.
            Array("GET / HTTP/1.1\r\n".utf8), [22, 3, 1, 0, 0], [22, 2, 0, 0, 9],
            [22, 3, 1, 0, 4, 2, 0, 0, 0],
        ] {
            #expect(read(bytes) == .offers(nil))
        }
        // An empty list, an empty name, and a name that is longer than its list.
        for names: [UInt8] in [[], [0], [4, 1, 2]] {
            let list = ClientHello.vector(ClientHello.vector(names, 2), 2)
            let bytes = ClientHello(protocols: nil).message
            let extensions = Array(bytes.suffix(4)) + [0, 16] + list
            let body = Array(bytes[4..<(bytes.count - 6)]) + ClientHello.vector(extensions, 2)
            #expect(read(ClientHello.records([1] + ClientHello.vector(body, 3))) == .offers(nil))
        }
    }
}
