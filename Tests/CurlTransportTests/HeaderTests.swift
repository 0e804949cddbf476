import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct HeaderTests {
    let transport = CurlTransport()
    let peer = LoopbackPeer { _ in PeerConnection.response() }

    private func sent(
        _ headers: [(String, String)] = [], method: String = "GET", body: [UInt8]? = nil
    ) async throws -> PeerRequest {
        let request = TransportRequest(
            method: method, url: peer.baseURL, headers: Headers(headers), body: body)
        _ = try await transport.answer(to: request).get()
        return try #require(peer.requests.last)
    }

    private func received(_ bytes: String) async throws -> TransportResponse {
        let peer = LoopbackPeer { _ in Array(bytes.utf8) }
        return try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
    }

    // MARK: Of the request

    @Test func `repeats are sent in their order and names as they are written`() async throws {
        let seen = try await sent([("X-Many", "1"), ("x-other", "o"), ("X-Many", "2"), ("x-MANY", "3")])
        #expect(seen.head.contains("X-Many: 1\r\nx-other: o\r\nX-Many: 2\r\nx-MANY: 3\r\n"))
    }

    @Test(arguments: ["", " ", " \t "])
    func `an empty value is sent, not left out`(value: String) async throws {
        let seen = try await sent([("X-Empty", value), ("Accept", value)])
        #expect(seen.headers.values("X-Empty") == [""])
        #expect(seen.headers.values("Accept") == [""])
    }

    @Test func `values may hold colons, semicolons and text beyond ASCII`() async throws {
        let seen = try await sent([("X-Odd", "a: b; c=\"d\" é")])
        #expect(seen.headers["X-Odd"] == "a: b; c=\"d\" é")
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-B: 2"), ("X-A", "1\nX-B: 2"), ("X-A", "1\r"), ("X-A", "1\0"), ("X-A\r\nX-B", "1"),
        ("X A", "1"),
        ("", "1"), ("X-A:", "1"), ("X-A;", "1"), ("Host\n", "x"),
    ])
    func `what would make another header is refused and nothing is sent`(field: (String, String)) async {
        let request = TransportRequest(url: peer.baseURL, headers: Headers([("Fine", "1"), field]))
        let result = await transport.answer(to: request)
        #expect(result.error?.code == .internal)
        #expect(peer.connectionCount == 0)
    }

    @Test func `defaults are sent only where the request has none`() async throws {
        let plain = try await sent()
        #expect(plain.headers.values("Accept") == ["*/*"])
        #expect(plain.headers.values("User-Agent") == [TransportOptions().userAgent])
        #expect(plain.headers.values("Host") == ["127.0.0.1:\(peer.port)"])
        let own = try await sent([("accept", "text/plain"), ("user-agent", "mine"), ("host", "example.test")])
        #expect(own.headers.values("Accept") == ["text/plain"])
        #expect(own.headers.values("User-Agent") == ["mine"])
        #expect(own.headers.values("Host") == ["example.test"])
    }

    @Test func `what was taken out is not sent, and comes back when it is set`() async throws {
        var headers = Headers([("X-Own", "1"), ("User-Agent", "mine")])
        for name in ["user-agent", "Accept", "Accept-Encoding", "Host", "X-Own"] { headers.omit(name) }
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL, headers: headers)).get()
        let bare = try #require(peer.requests.last)
        #expect(bare.head == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(peer.port)\r\n\r\n")
        headers.set("Accept", "a/b")
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL, headers: headers)).get()
        let some = try #require(peer.requests.last)
        #expect(some.headers.values("Accept") == ["a/b"] && some.headers["User-Agent"] == nil)
    }

    @Test func `what can be decoded is accepted`() async throws {
        let codings = try #require(try await sent().headers["Accept-Encoding"])
        for coding in ["gzip", "br", "zstd"] { #expect(codings.contains(coding)) }
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a method with content but no body announces a length of zero and no type`(method: String)
        async throws
    {
        for body: [UInt8]? in [nil, []] {
            let seen = try await sent(method: method, body: body)
            #expect(seen.headers.values("Content-Length") == ["0"])
            #expect(!seen.headers.contains("Content-Type"))
        }
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS"])
    func `a method without content announces nothing`(method: String) async throws {
        let seen = try await sent(method: method)
        #expect(!seen.headers.contains("Content-Length"))
        #expect(!seen.headers.contains("Content-Type"))
    }

    @Test(arguments: [10, 3 << 20])
    func `a body adds its length, no type and no expectation`(count: Int) async throws {
        let body = [UInt8](repeating: 7, count: count)
        let seen = try await sent(method: "POST", body: body)
        #expect(seen.headers.values("Content-Length") == ["\(count)"])
        #expect(!seen.headers.contains("Content-Type"))
        #expect(!seen.headers.contains("Expect"))
        #expect(seen.body == body)
        let typed = try await sent([("content-type", "text/plain")], method: "POST", body: body)
        #expect(typed.headers.values("Content-Type") == ["text/plain"])
    }

    @Test func `the request's own framing headers do not reach the line`() async throws {
        let headers = [("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("X-Kept", "1")]
        let seen = try await sent(headers, method: "POST", body: Array("four".utf8))
        #expect(seen.headers.values("Content-Length") == ["4"])
        #expect(!seen.headers.contains("Transfer-Encoding"))
        #expect(seen.headers["X-Kept"] == "1")
    }

    @Test func `nothing of a request stays for the next one`() async throws {
        let url = "http://user:secret@127.0.0.1:\(peer.port)/"
        let headers = Headers([("Authorization", "Bearer x"), ("Cookie", "a=b")])
        _ = try await transport.answer(to: TransportRequest(method: "POST", url: url, body: [1, 2])).get()
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL, headers: headers)).get()
        let seen = try await sent()
        #expect(seen.method == "GET")
        #expect(!seen.headers.contains("Authorization"))
        #expect(!seen.headers.contains("Cookie"))
        #expect(!seen.headers.contains("Content-Length"))
        #expect(peer.connectionCount == 1)
    }

    @Test func `a cookie that was set is not sent back`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response(headers: [("Set-Cookie", "a=b; Path=/")]) }
        for _ in 0..<2 { _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get() }
        #expect(peer.requests.allSatisfy { !$0.headers.contains("Cookie") })
    }

    // MARK: Of the response

    @Test func `a response's headers are given as received, repeats and empty ones too`() async throws {
        let response = try await received(
            "HTTP/1.1 404 \r\nSet-Cookie: a=1\r\nset-cookie:b=2\r\nX-Empty:\r\nX-Odd:  a: b  \r\n"
                + "Content-Length: 0\r\n\r\n")
        #expect(response.status == 404)
        #expect(response.httpVersion == "HTTP/1.1")
        #expect(response.headers.values("Set-Cookie") == ["a=1", "b=2"])
        #expect(response.headers.fields.map(\.name).prefix(2) == ["Set-Cookie", "set-cookie"])
        #expect(response.headers["X-Empty"] == "")
        #expect(response.headers["X-Odd"] == "a: b")
    }

    @Test func `informational responses are dropped`() async throws {
        let response = try await received(
            "HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nX-Final: 1\r\nContent-Length: 2\r\n\r\nok")
        #expect(response.status == 201)
        #expect(!response.headers.contains("X-Interim"))
        #expect(!response.headers.contains("Link"))
        #expect(response.headers["X-Final"] == "1")
        #expect(response.body == Array("ok".utf8))
    }

    @Test func `trailers are ignored`() async throws {
        let response = try await received(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
                + "2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n")
        #expect(response.body == Array("ok".utf8))
        #expect(!response.headers.contains("X-Late"))
    }

    @Test func `a redirect is an answer like any other`() async throws {
        let response = try await received("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "/x")
    }

    @Test func `a Location beyond ASCII leads where its bytes say, be they UTF-8 or not`() async throws {
        for (bytes, text) in [
            ([0xE9, 0x21], "/end?caf%E9!"), (Array("é!".utf8), "/end?café!"),
            ([0xC3, 0x28, 0xE9], "/end?caf%C3(%E9"),
        ] as [([UInt8], String)] {
            let peer = LoopbackPeer { _ in
                Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nlocation: /end?caf".utf8) + bytes
                    + Array("\r\n\r\n".utf8)
            }
            let response = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
            #expect(response.headers["Location"] == text)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n X-Folded: a\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: a\0b\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\n X: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ])
    func `a line of the head or the trailers that is none is an answer that can't be decoded`(
        bytes: String
    ) async throws {
        let error = await #expect(throws: TransportError.self) { try await received(bytes) }
        #expect(error?.code == .decodingFailed, "\(String(describing: error))")
    }
}
