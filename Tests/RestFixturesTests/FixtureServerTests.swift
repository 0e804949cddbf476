import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import RestFixtures

struct FixtureServerTests {
    private static let maximumBody = 1000

    @Test func `requests on one connection are answered in order`() async throws {
        try await serving { port in
            let answer = try LoopbackClient(port: port).exchange(
                "GET /users/hubot HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "HEAD /users/hubot?delay=0.001 HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let lines = answer.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/") || $0.contains("{") }
            #expect(
                lines == [
                    "HTTP/1.1 200 OK", #"{"id":2,"login":"hubot"}HTTP/1.1 200 OK"#, "HTTP/1.1 404 Not Found",
                    #"{"message":"Not Found"}"#,
                ])
        }
    }

    @Test func `a delayed answer holds up nobody else`() async throws {
        try await serving { port in
            let slow = try LoopbackClient(port: port)
            slow.send("GET /slow?delay=60 HTTP/1.1\r\nHost: a\r\n\r\n")
            var counts = ""
            while !counts.contains("/slow") {
                counts = try LoopbackClient(port: port).exchange(
                    "GET /-/counts HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            }
            #expect(!slow.hasAnswer)
        }
    }

    @Test func `a body is awaited, asked for when the client wants that, and limited`() async throws {
        try await serving { port in
            let posted = try LoopbackClient(port: port).exchange(
                "PUT /users/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
                    + "Connection: close\r\n\r\n{}")
            #expect(posted.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n"))
            #expect(posted.contains("Location: /users/x\r\n"))
            let size = Self.maximumBody + 1
            let refused = try LoopbackClient(port: port).exchange(
                "POST /-/echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"
                    + String(repeating: "x", count: size))
            #expect(refused.hasPrefix("HTTP/1.1 413 Payload Too Large\r\n"))
        }
    }

    @Test func `tokens expire by the clock that is given`() throws {
        let clock = Mutex(100.0)
        let asker = FixtureAsker()
        let site = FixtureSite(asker.routes) { clock.withLock { $0 } }
        func status(_ method: String, _ target: String, _ body: String = "") -> Int {
            let headers = Headers([("Authorization", "Bearer 00000000000000ab00000000000000ab")])
            return site.respond(
                to: FixtureRequest(method: method, target: target, headers: headers, body: Array(body.utf8))
            ).status
        }
        #expect(status("POST", "/-/login", #"{"user":"a","password":"b"}"#) == 200)
        #expect(status("GET", "/private/notes") == 200)
        clock.withLock { $0 += 60 }
        #expect(status("GET", "/private/notes") == 401)
    }

    @Test func `a port in use is refused with a reason`() async throws {
        try await serving { port in
            let failure = FixtureServerError(
                "cannot listen on 127.0.0.1:\(port): the port is in use; "
                    + "port 0 lets the system choose a free one"
            )
            await #expect(throws: failure) { try await serving(port: port) { _ in } }
        }
    }

    private func serving(port: Int = 0, _ body: (Int) async throws -> Void) async throws {
        let site = FixtureSite(FixtureAsker().routes) { 100 }
        let server = try FixtureServer.start(
            site, on: .ip(host: "127.0.0.1", port: port), maximumBody: Self.maximumBody)
        do { try await body(#require(Int(server.url.dropFirst("http://127.0.0.1:".count)))) } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
