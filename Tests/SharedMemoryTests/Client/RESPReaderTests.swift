import TestSupport
import Testing

@testable import SharedMemory

@Suite struct RESPReaderTests {
    /// The messages of the bytes; the last element is the fault, if there is one.
    private func read(
        _ bytes: [UInt8], inPiecesOf size: Int = .max, limits: RESPReader.Limits = RESPReader.Limits()
    ) -> (messages: [RESPReader.Message], fault: RESPReader.Fault?, isBetween: Bool) {
        var reader = RESPReader(limits: limits)
        var messages: [RESPReader.Message] = []
        var rest = bytes[...]
        do throws(RESPReader.Fault) {
            repeat {
                reader.feed(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let message = try reader.next() { messages.append(message) }
            } while !rest.isEmpty
        } catch { return (messages, error, false) }
        return (messages, nil, reader.isBetweenReplies)
    }

    private func reply(_ text: String) -> RedisValue? {
        guard case .reply(let value)? = read(Array(text.utf8)).messages.first else { return nil }
        return value
    }

    private func fault(_ text: String, limits: RESPReader.Limits = RESPReader.Limits()) -> RESPReader.Fault? {
        read(Array(text.utf8), limits: limits).fault
    }

    private func text(_ text: String) -> RedisValue { .bytes(Array(text.utf8)) }

    @Test func `Every type of both versions is read`() {
        #expect(reply("+OK\r\n") == text("OK"))
        #expect(reply("-ERR no\r\n") == .error("ERR no"))
        #expect(reply(":-12\r\n") == .integer(-12))
        #expect(reply("$5\r\na\r\nbc\r\n") == text("a\r\nbc"))
        #expect(reply("$0\r\n\r\n") == text(""))
        #expect(reply("$-1\r\n") == .null)
        #expect(reply("*-1\r\n") == .null)
        #expect(reply("*0\r\n") == .array([]))
        #expect(reply("*2\r\n:1\r\n*1\r\n+x\r\n") == .array([.integer(1), .array([text("x")])]))
        #expect(reply("_\r\n") == .null)
        #expect(reply("#t\r\n") == .boolean(true))
        #expect(reply(",1.5\r\n") == .double(1.5))
        #expect(reply(",-inf\r\n") == .double(-.infinity))
        #expect(reply("(123456789012345678901234567890\r\n") == text("123456789012345678901234567890"))
        #expect(reply("!5\r\nERR x\r\n") == .error("ERR x"))
        #expect(reply("=6\r\ntxt:ab\r\n") == text("ab"))
        #expect(reply("%1\r\n+k\r\n:1\r\n") == .map([text("k"), .integer(1)]))
        #expect(reply("%0\r\n") == .map([]))
        #expect(reply("~1\r\n:1\r\n") == .array([.integer(1)]))
        #expect(reply("|1\r\n+k\r\n+v\r\n:7\r\n") == .integer(7))
        #expect(reply("*2\r\n|1\r\n+k\r\n+v\r\n:7\r\n:8\r\n") == .array([.integer(7), .integer(8)]))
        #expect(reply("|0\r\n:7\r\n") == .integer(7))
        #expect(read(Array(">2\r\n+a\r\n+b\r\n".utf8)).messages == [.push([text("a"), text("b")])])
    }

    @Test func `Bytes may come in any pieces`() {
        let stream =
            "+OK\r\n$5\r\nhello\r\n>2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n%2\r\n+a\r\n:1\r\n+b\r\n*2\r\n,2.5\r\n_\r\n-ERR x\r\n"
        let whole = read(Array(stream.utf8))
        #expect(whole.messages.count == 5)
        #expect(whole.isBetween)
        for size in 1...stream.utf8.count {
            let pieces = read(Array(stream.utf8), inPiecesOf: size)
            #expect(pieces.messages == whole.messages)
            #expect(pieces.fault == nil)
        }
    }

    @Test func `A cut stream gives the replies before the cut, and no fault`() {
        let stream = Array("$5\r\nhello\r\n*2\r\n:1\r\n$2\r\nab\r\n".utf8)
        for end in stream.indices {
            let found = read(Array(stream[..<end]))
            #expect(found.fault == nil)
            #expect(found.messages.count == (end >= 11 ? 1 : 0))
            #expect(found.isBetween == (end == 0 || end == 11))
        }
    }

    @Test func `Bytes outside of the protocol are faults`() {
        #expect(fault("HTTP/1.1 400 Bad Request\r\n") == .unknownType(0x48))
        #expect(fault(":\r\n") == .badLine("integer"))
        #expect(fault(":12x\r\n") == .badLine("integer"))
        #expect(fault(":99999999999999999999\r\n") == .badLine("integer"))
        #expect(fault("$-2\r\n") == .badLine("length"))
        #expect(fault("$3\r\nabcd\r\n") == .missingLineEnd)
        #expect(fault("+OK\n") == .badLine("line end"))
        #expect(fault("#x\r\n") == .badLine("boolean"))
        #expect(fault(",x\r\n") == .badLine("number"))
        #expect(fault("=2\r\nab\r\n") == .badLine("format of a text"))
        #expect(fault("*1\r\n>1\r\n+a\r\n") == .misplacedPush)
        #expect(fault(">0\r\n") == .badLine("kind of a push message"))
        #expect(fault(">-1\r\n") == .badLine("kind of a push message"))
        #expect(fault("*?\r\n") == .badLine("length"))
    }

    @Test func `Every size has a limit`() {
        var limits = RESPReader.Limits()
        limits.depth = 3
        limits.bulk = 10
        limits.elements = 8
        limits.line = 20
        limits.bytes = 30
        #expect(fault("*1\r\n*1\r\n*1\r\n:1\r\n", limits: limits) == nil)
        #expect(fault("*1\r\n*1\r\n*1\r\n*1\r\n", limits: limits) == .tooLarge("levels"))
        #expect(fault("$11\r\n", limits: limits) == .tooLarge("bytes in one text"))
        #expect(fault("*9\r\n", limits: limits) == .tooLarge("values"))
        #expect(fault("%5\r\n", limits: limits) == .tooLarge("values"))
        #expect(fault("*4\r\n*3\r\n:1\r\n:1\r\n:1\r\n*3\r\n", limits: limits) == .tooLarge("values"))
        #expect(
            fault("+" + String(repeating: "x", count: 40), limits: limits) == .tooLarge("bytes in one line"))
        #expect(
            fault("*3\r\n$9\r\n123456789\r\n$9\r\n123456789\r\n$9\r\n123456789\r\n", limits: limits)
                == .tooLarge("bytes"))
        // Each reply is counted by itself.
        #expect(
            read(Array(String(repeating: "$9\r\n123456789\r\n", count: 9).utf8), limits: limits).messages
                .count == 9)
    }

    @Test func `Random bytes end in messages or in a fault`() {
        var random = SeededRandom(seed: 45)
        let alphabet = Array("+-:$*_#,(!=%~|>\r\n0123456789ab".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<40).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            let whole = read(bytes)
            let pieces = read(bytes, inPiecesOf: 3)
            #expect(whole.messages == pieces.messages)
            #expect(whole.fault == pieces.fault)
        }
    }

    @Test func `A command is an array of bulks`() {
        let command = RedisCommand("SET", "k", .bytes([0, 13, 10]), "PX", .integer(50))
        #expect(
            command.bytes
                == Array("*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\n\0\r\n\r\n$2\r\nPX\r\n$2\r\n50\r\n".utf8))
        #expect(
            reply(String(decoding: command.bytes, as: UTF8.self))
                == .array([text("SET"), text("k"), text("\0\r\n"), text("PX"), text("50")]))
    }
}
