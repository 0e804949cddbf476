import NIOCore
import NIOHPACK
import RestEngine
import Testing

@testable import Gateway

@Suite struct ResponseHeadTests {
    /// A head with fields of all contributors.
    private static let full = ResponseHead(
        status: 206, date: "Thu, 01 Jan 1970 00:00:00 GMT",
        content: ContentFields(
            type: "application/json", length: 5, coding: .gzip, range: "bytes 0-4/9", acceptsRanges: true,
            etag: "\"a\"", vary: "Accept"),
        proxied: [("Link", "</b>; rel=\"next\""), ("X-Own", "1: 2")], timing: "attempt-1;dur=0.5",
        freshness: .stored(age: 1, lifetime: 30, left: 29, .hit(.memory)),
        cors: [("Vary", "Origin"), ("Access-Control-Allow-Origin", "*")],
        framing: ResponseHead.Framing(closes: true, isChunked: true))

    @Test func `Contributors speak in their order`() {
        let lines = [
            "HTTP/1.1 206 Partial Content",
            "Date: Thu, 01 Jan 1970 00:00:00 GMT",
            "Content-Type: application/json",
            "Content-Length: 5",
            "Content-Encoding: gzip",
            "Content-Range: bytes 0-4/9",
            "Accept-Ranges: bytes",
            "ETag: \"a\"",
            "Vary: Accept",
            "Link: </b>; rel=\"next\"",
            "X-Own: 1: 2",
            "Server-Timing: attempt-1;dur=0.5",
            "Age: 1",
            "Cache-Control: max-age=30",
            "Cache-Status: resthost; hit; ttl=29",
            "Vary: Origin",
            "Access-Control-Allow-Origin: *",
            "Transfer-Encoding: chunked",
            "Connection: close",
        ]
        #expect(String(buffer: Self.full.lines()) == lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    private static let heads: [ResponseHead] = [
        full, ResponseHead(status: 100), ResponseHead(status: 200), ResponseHead(status: 299),
        ResponseHead(
            status: 404, content: ContentFields(type: "text/plain", length: 0), freshness: .unstored),
        ResponseHead(status: 200, proxied: [("X-Empty", ""), ("X-Padded", " a b")]),
        ResponseHead(status: 200, proxied: [("X-Long", String(repeating: "é", count: 2000))]),
        ResponseHead(status: 200, framing: ResponseHead.Framing(saysKeepAlive: true)),
    ]

    @Test(arguments: heads.indices)
    func `Both versions of HTTP say the same, but for what HTTP/2 has frames for`(_ index: Int) {
        let head = Self.heads[index]
        let read = Answer(head: String(buffer: head.lines()))
        let fields = read.fields.filter { $0.name != "Connection" && $0.name != "Transfer-Encoding" }
        for indexing in [HPACKIndexing.indexable, .nonIndexable] {
            let list = head.list(indexing: indexing)
            #expect(
                list.map { "\($0.name): \($0.value)" }
                    == [":status: \(read.status)"] + fields.map { "\($0.name.lowercased()): \($0.value)" })
            #expect(list.allSatisfy { $0.indexable == indexing })
        }
    }

    @Test(arguments: [
        (CacheStatus.hit(.memory), "hit; ttl=-2"), (.hit(.cache), "hit; ttl=-2; detail=cache"),
        (.stale("offline"), "hit; ttl=-2; detail=offline"),
        (.forwarded(isStale: false, isCollapsed: false), "fwd=miss"),
        (.forwarded(isStale: true, isCollapsed: true), "fwd=stale; collapsed"),
    ])
    func `Cache-Status says how an answer came about`(_ status: CacheStatus, _ text: String) {
        let head = ResponseHead(status: 200, freshness: .stored(age: 3, lifetime: 1, left: -2, status))
        #expect(head.list(indexing: .indexable).first(name: "cache-status") == "resthost; \(text)")
    }

    @Test(arguments: [
        (ResponseHead.Framing(), ""), (.init(saysKeepAlive: true), "Connection: keep-alive\r\n"),
        (.init(closes: true, saysKeepAlive: true), "Connection: close\r\n"),
    ])
    func `One line tells what becomes of a connection`(_ framing: ResponseHead.Framing, _ line: String) {
        let head = ResponseHead(status: 200, framing: framing)
        #expect(String(buffer: head.lines()) == "HTTP/1.1 200 OK\r\n\(line)\r\n")
    }

    @Test func `A date is made once for each second`() {
        let time = TestClock()
        var date = ResponseDate(clock: { time.now })
        let first = date.value(at: time.uptime)
        time.advance(by: 0.5)
        #expect(date.value(at: time.uptime) == first)
        time.advance(by: 0.5)
        #expect(date.value(at: time.uptime) != first)
    }

    @Test func `Times that have no number of seconds are written all the same`() {
        #expect(Double.nan.wholeSeconds == 0)
        #expect((-Double.infinity).wholeSeconds == 0)
        #expect(1.9.wholeSeconds == 1)
        #expect(Double.infinity.wholeSeconds > 1_000_000)
    }
}
