import Testing

@testable import Gateway

@Suite struct RequestParserTests {
    @Test(arguments: [
        ("GET / HTTP/1.1\nHost: a\n\n", RequestFault.bareNewline),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareNewline),
        ("GET  HTTP/1.1\r\n\r\n", .badRequestLine),
        ("GET /\r\n\r\n", .badRequestLine),
        (String(repeating: "\r\n", count: 9) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n", .emptyLines),
        (" GET / HTTP/1.1\r\n\r\n", .badRequestLine),
        ("G(T / HTTP/1.1\r\n\r\n", .badRequestLine),
        ("GET / HTTP/11\r\n\r\n", .badRequestLine),
        ("GET / http/1.1\r\n\r\n", .badRequestLine),
        ("\u{16}\u{3}\u{1}", .badRequestLine),
        ("GET / HTTP/2.0\r\n\r\n", .badVersion),
        ("GET /a b HTTP/1.1\r\n\r\n", .badTarget),
        ("GET /a\u{7F} HTTP/1.1\r\n\r\n", .badTarget),
        ("GET /ä HTTP/1.1\r\n\r\n", .badTarget),
        ("GET /a#b HTTP/1.1\r\n\r\n", .badTarget),
        ("GET a HTTP/1.1\r\n\r\n", .badTarget),
        ("GET * HTTP/1.1\r\n\r\n", .badTarget),
        ("GET https://a/ HTTP/1.1\r\n\r\n", .badTarget),
        ("GET http:///x HTTP/1.1\r\n\r\n", .badTarget),
        ("GET / HTTP/1.1\r\n\r\n", .noHost),
        ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .severalHosts),
        ("GET http://a<b/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        ("GET http://a@b@c/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        ("PRI / HTTP/1.0\r\n\r\n", .badVersion),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", .tunnel),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\n: a\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .bareReturn),
        ("GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", .badContentLength),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            .ambiguousLength
        ),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .ambiguousLength),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .unknownTransferCoding),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            .unknownTransferCoding
        ),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", .unknownExpectation),
    ])
    func `Text that is no request is refused`(_ text: String, fault: RequestFault) {
        #expect(ParserRun(text).results == [.fault(fault)])
    }

    @Test func `Method, target and the fields that matter are found`() throws {
        let text = """
            \r\nHEAD /a/b?c=d HTTP/1.1\r\nhOST: \t example.org:80 \t\r\nX-Other: \u{E4}\r\nX-Empty:\r
            If-None-Match: "x", W/"y"\r\nAuthorization: Bearer t\r\nContent-Length: 0\r\nConnection: foo, Close\r\n\r

            """
        let run = ParserRun(text)
        let parsed = try #require(run.heads.first)
        let head = parsed.head
        #expect(run.results.count == 1)
        #expect(head.method == .head)
        #expect(parsed.text(head.methodRange) == "HEAD")
        #expect(parsed.text(head.target) == "/a/b?c=d")
        #expect(parsed.text(head.host) == "example.org:80")
        #expect(parsed.text(head.ifNoneMatch) == #""x", W/"y""#)
        #expect(parsed.text(head.authorization) == "Bearer t")
        #expect(head.contentLength == 0)
        #expect(!head.hasBody)
        #expect(head.saysClose)
        #expect(!head.isPersistent)
        #expect(head.length == text.utf8.count)
    }

    @Test func `The authority of an absolute target replaces Host`() throws {
        let parsed = try #require(
            ParserRun("GET HTTP://one.example:8080/p?q HTTP/1.1\r\nHost: two\r\n\r\n").heads.first)
        #expect(parsed.text(parsed.head.host) == "one.example:8080")
        #expect(parsed.text(parsed.head.target) == "/p?q")
    }

    @Test func `HTTP 1.0 ends the connection unless it asks otherwise`() throws {
        let plain = try #require(ParserRun("GET / HTTP/1.0\r\n\r\n").heads.first)
        #expect(!plain.head.isPersistent)
        let kept = try #require(ParserRun("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").heads.first)
        #expect(kept.head.isPersistent)
    }

    @Test func `Requests that come together are read one after the other`() {
        let one = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        let two = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
        let run = ParserRun(one + two)
        #expect(run.heads.map { $0.text($0.head.target) } == ["/1", "/2"])
    }

    @Test func `Limits count bytes, and hold for heads that never end`() {
        var limits = GatewayLimits()
        limits.maxTargetBytes = 100
        limits.maxHeaderBytes = 300
        func results(_ text: String) -> [ParserRun.Result] { ParserRun(text, limits: limits).results }
        let target = "/" + String(repeating: "a", count: 100)
        #expect(results("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == [.fault(.targetTooLong)])
        #expect(results("GET " + target + target) == [.fault(.targetTooLong)])
        #expect(results("GET \(target.dropLast()) HTTP/1.1\r\nHost: a\r\n\r\n").count == 1)
        let long = "X: " + String(repeating: "a", count: 300)
        #expect(results("GET / HTTP/1.1\r\n" + long) == [.fault(.headTooLarge)])
        #expect(results("GET / HTTP/1.1\r\n\(long)\r\n\r\n") == [.fault(.headTooLarge)])
        #expect(results(String(repeating: "\r\n", count: 100_000)) == [.fault(.emptyLines)])
        limits.maxHeaderFields = 2
        #expect(results("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\n").count == 1)
        #expect(results("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nA:") == [])
        #expect(results("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nA:\r\n") == [.fault(.headTooLarge)])
    }
}
