import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct MethodTests {
    let transport = CurlTransport()
    let peer = LoopbackPeer { request in
        request.method == "HEAD"
            ? Array("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n".utf8)
            : PeerConnection.response(body: Array("done".utf8))
    }

    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "m-search", "x!#$%&'*+.^_`|~",
    ])
    func `every token is a method, with and without a body`(method: String) async throws {
        for body: [UInt8]? in [nil, [], Array("content".utf8)] {
            if method == "HEAD", body?.isEmpty == false { continue }
            let request = TransportRequest(method: method, url: peer.baseURL + "/a", body: body)
            let response = try await transport.answer(to: request).get()
            #expect(response.status == 200)
            let seen = try #require(peer.requests.last)
            #expect(seen.method == method)
            #expect(seen.target == "/a")
            #expect(seen.body == body ?? [])
        }
    }

    @Test func `methods follow one another on one connection in any order`() async throws {
        let methods = [
            "GET", "POST", "HEAD", "DELETE", "PUT", "GET", "HEAD", "PATCH", "OPTIONS", "POST", "HEAD", "GET",
        ]
        for (number, method) in methods.enumerated() {
            let body: [UInt8]? = number % 3 == 1 && method != "HEAD" ? Array("body \(number)".utf8) : nil
            let request = TransportRequest(method: method, url: peer.baseURL + "/\(number)", body: body)
            let response = try await transport.answer(to: request).get()
            #expect(response.body.count == (method == "HEAD" ? 0 : 4))
            let seen = try #require(peer.requests.last)
            #expect(seen.method == method)
            #expect(seen.body == body ?? [])
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `the response to HEAD keeps its headers and has no body`() async throws {
        let response = try await transport.answer(to: TransportRequest(method: "HEAD", url: peer.baseURL))
            .get()
        #expect(response.headers["Content-Length"] == "999")
        #expect(response.body.isEmpty)
    }

    @Test func `HEAD with a body is refused, not sent without it`() async {
        let request = TransportRequest(method: "HEAD", url: peer.baseURL, body: [1])
        #expect(await transport.answer(to: request).error?.code == .internal)
        #expect(peer.connectionCount == 0)
    }

    @Test(arguments: ["", "GET /x", "GE\r\nT", "G\0", "(GET)", "GÉT"])
    func `what is no token is refused and nothing is sent`(method: String) async {
        let result = await transport.answer(to: TransportRequest(method: method, url: peer.baseURL))
        #expect(result.error?.code == .internal)
        #expect(peer.connectionCount == 0)
    }
}
