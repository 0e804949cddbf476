import TestSupport
import Testing

@testable import RestEngine

struct EventStreamParserTests {
    private func events(_ text: String, limit: Int = 1000) throws -> [EventStreamParser.Event] {
        var parser = EventStreamParser(limit: limit)
        return try parser.take(Array(text.utf8))
    }

    private func event(_ data: String, type: String = "message", id: String = "") -> EventStreamParser.Event {
        EventStreamParser.Event(type: type, data: Array(data.utf8), id: id)
    }

    @Test(arguments: [
        ("data: a\n\n", ["a"]), ("data: a\r\n\r\n", ["a"]), ("data: a\r\r", ["a"]),
        ("data: a\r\n\n", ["a"]), ("data: a\n\r\n", ["a"]), ("data:a\n\n", ["a"]), ("data:  a\n\n", [" a"]),
        ("data: a\ndata: b\n\n", ["a\nb"]), ("data\n\n", [""]), ("data\ndata\n\n", ["\n"]),
        ("data: a\n", []), ("data: a", []), ("\n\n\n", []), ("event: x\n\n", []), (": note\n\n", []),
        (":\ndata: a\n: b\n\n", ["a"]), ("data : a\n\n", []), ("Data: a\n\n", []),
        ("other: a\ndata: b\n\n", ["b"]),
        ("data: a: b\n\n", ["a: b"]), ("data: a\n\ndata: b\n\n", ["a", "b"]), ("\u{FEFF}data: a\n\n", ["a"]),
        ("\u{FEFF}\u{FEFF}data: a\n\n", []), ("data: é\n\n", ["é"]),
    ])
    func `57.2 the data of events`(text: String, data: [String]) throws {
        #expect(try events(text).map { String(decoding: $0.data, as: UTF8.self) } == data)
    }

    @Test func `57.2 however the bytes are cut, the events are the same`() throws {
        let text =
            "\u{FEFF}id: 1\r\nevent: x\r\ndata: a\r\ndata: b\r\n\r\n: c\rretry: 5\rdata: é\r\rdata: z\n\n"
        let bytes = Array(text.utf8)
        let whole = try events(text)
        #expect(whole == [event("a\nb", type: "x", id: "1"), event("é", id: "1"), event("z", id: "1")])
        for cut in bytes.indices {
            var parser = EventStreamParser(limit: 1000)
            let parts = try parser.take(Array(bytes[..<cut])) + parser.take(Array(bytes[cut...]))
            #expect(parts == whole && parser.retrySeconds == 0.005)
        }
        var parser = EventStreamParser(limit: 1000)
        #expect(try bytes.flatMap { try parser.take([$0]) } == whole)
    }

    @Test func `57.4 ids are kept until another comes, and taken over at a blank line`() throws {
        var parser = EventStreamParser(limit: 2000, lastID: "old")
        #expect(try parser.take(Array("data: a\n\nid: 7\n".utf8)) == [event("a", id: "old")])
        #expect(parser.lastID == "old")
        #expect(try parser.take(Array("\ndata: b\n\n".utf8)) == [event("b", id: "7")])
        // An ID that can't be sent back isn't accepted.
        let long = String(repeating: "x", count: 1025)
        for id in ["a\u{0}b", "a\u{1}", long] {
            #expect(try parser.take(Array("id: \(id)\n\n".utf8)).isEmpty && parser.lastID == "7")
        }
        _ = try parser.take(Array("id\n\n".utf8))
        #expect(parser.lastID.isEmpty)
    }

    @Test(arguments: [
        ("1500", 1.5), ("0", 0), ("007", 0.007), ("", nil), ("1.5", nil), ("-1", nil), ("9x", nil),
        (" 5", nil),
        (String(repeating: "9", count: 400), 1e9),
    ])
    func `57.5 the time to wait is digits alone`(value: String, seconds: Double?) throws {
        var parser = EventStreamParser(limit: 1000)
        _ = try parser.take(Array("retry: \(value)\n".utf8))
        #expect(parser.retrySeconds == seconds)
    }

    @Test func `57.2 57.6 events before one that is too large are delivered`() throws {
        var parser = EventStreamParser(limit: 20)
        let text = "data: a\n\ndata: b\n\ndata: \(String(repeating: "x", count: 30))\n\n"
        let overflow = #expect(throws: EventStreamParser.Overflow.self) { try parser.take(Array(text.utf8)) }
        #expect(overflow?.events == [event("a"), event("b")])
    }

    @Test func `57.6 an event has a limit, over all its lines; a comment has none`() throws {
        #expect(try events("data: \(String(repeating: "x", count: 90))\n\n", limit: 100).count == 1)
        #expect(throws: EventStreamParser.Overflow(limit: 100)) {
            try events("data: \(String(repeating: "x", count: 100))", limit: 100)
        }
        #expect(throws: EventStreamParser.Overflow.self) {
            try events(String(repeating: "data: 123\n", count: 30), limit: 100)
        }
        #expect(try events(":\(String(repeating: "x", count: 1000))\ndata: a\n\n", limit: 100).count == 1)
    }

    @Test func `57.2 what is no UTF-8 is replaced`() throws {
        var parser = EventStreamParser(limit: 100)
        let events = try parser.take(Array("data: ".utf8) + [0xFF] + Array("\n\n".utf8))
        #expect(events == [event("\u{FFFD}")])
    }
}
