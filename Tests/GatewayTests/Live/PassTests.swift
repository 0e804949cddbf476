import RestEngine
import Testing

@testable import Gateway

/// Requests that are forwarded to the API with their bodies (rules 50).
@Suite struct PassTests {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE"]

    static func expose(_ configuration: inout GatewayConfiguration) {
        configuration.expose = ["github": ExposeRule(methods: methods)]
    }

    private func exchange(_ site: Site, _ text: String) throws -> Answer {
        let client = try site.connect()
        try client.send(text)
        return try client.answer()
    }

    @Test func `50.1 A body and its type go to the API, and what it says comes back`() async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub(#"{"id":7}"#, status: 201)) }) {
            world, site in
            let client = try site.connect()
            try client.send(
                "POST /github/users?notify=all HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Cookie: a=b\r\nAuthorization: Basic x\r\nX-Own: 1\r\nContent-Length: 12\r\n\r\n{\"name\":\"o\"}"
            )
            let answer = try client.answer()
            #expect(answer.status == 201)
            #expect(answer.body == #"{"id":7}"#)
            #expect(answer["Cache-Control"] == "no-store")
            let request = try #require(await world.transport.requests.last)
            #expect(request.method == "POST")
            #expect(request.url == "https://api.github.com/v3/users?notify=all")
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"name":"o"}"#)
            #expect(request.headers.fields.map(\.name) == ["Content-Type", "X-Request-Id"])
            // The connection goes on after the body.
            try client.send("DELETE /github/users/7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.answer().status == 201)
            #expect(await world.transport.requests.last?.body == nil)
        }
    }

    @Test func `59.2 A client's trace goes on, in reads, streams and what is passed on`() async throws {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let trace = "traceparent: 00-\(id)-00f067aa0ba902b7-01\r\ntracestate: a=b\r\n"
        try await World.run(Self.expose, automatic: { _ in .success(.stub("[1]")) }) { world, site in
            try await world.configure("**") { $0.isTraced = true }
            for head in ["GET /github/a", "POST /github/a", "DELETE /github/b"] {
                let length = head.hasPrefix("POST") ? "Content-Length: 0\r\n" : ""
                #expect(
                    try exchange(site, "\(head) HTTP/1.1\r\nHost: localhost\r\n\(length)\(trace)\r\n").status
                        == 200)
            }
            let fields = trace.split(separator: "\r\n").map(String.init)
            let stream = try StreamTests.open(site, "/github/c", fields: fields)
            #expect(try stream.head().status == 200)
            await world.transport.waitForRequests(4)
            let sent = await world.transport.requests.map(\.headers)
            let parents = sent.compactMap { $0["traceparent"] }
            #expect(parents.count == 4 && Set(parents).count == 4, "each message is a span of its own")
            #expect(parents.allSatisfy { $0.hasPrefix("00-\(id)-") && !$0.contains("00f067aa0ba902b7") })
            #expect(sent.allSatisfy { $0["tracestate"] == "a=b" })
            #expect(try site.get("/github/d").status == 200)
            #expect(await world.transport.requests.last?.headers["traceparent"]?.contains(id) == false)
        }
    }

    @Test func `50.2 A body in chunks is put together, whatever its pieces`() async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let client = try site.connect()
            let text =
                "PUT /github/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\nX-Trailer: dropped\r\n\r\n"
            for byte in Array(text.utf8) { try client.send([byte]) }
            #expect(try client.answer().status == 200)
            try client.send(text + text)
            #expect(try client.answer().status == 200)
            #expect(try client.answer().status == 200)
            let bodies = await world.transport.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
            #expect(bodies == Array(repeating: "hello 0123456789", count: 3))
        }
    }

    @Test(arguments: [
        "5;ext=\"1\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "-5\r\n",
        "0x5\r\n",
        "\r\n", " 5\r\nhello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n", "5\r\nhello\r\n0\r\nbad trailer\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
    ])
    func `50.3 An invalid chunk ends the connection`(_ body: String) async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let client = try site.connect()
            try client.send(
                "POST /github/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            let answer = try client.answer()
            #expect(answer.status == 400)
            #expect(answer["Connection"] == "close")
            client.finishSending()
            #expect(try client.isClosed())
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test func `50.4 A client that asks gets 100, unless the request isn't accepted`() async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub("[1]")) }) { _, site in
            let client = try site.connect()
            let fields = "Host: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            try client.send("POST /github/a HTTP/1.1\r\n" + fields)
            #expect(try client.answer().status == 100)
            try client.send("{}")
            #expect(try client.answer().status == 200)
            for (target, status) in [("/nobody/a", 404), ("/github/../a", 400)] {
                let refused = try exchange(site, "POST \(target) HTTP/1.1\r\n" + fields)
                #expect(refused.status == status)
                #expect(refused["Connection"] == "close")
            }
        }
    }

    @Test func `50.5 A body beyond the limit is refused, announced or not`() async throws {
        try await World.run({
            Self.expose(&$0)
            $0.limits.maxBodyBytes = 10
        }) { world, site in
            let announced = try exchange(
                site, "POST /github/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n")
            #expect(announced.status == 413)
            #expect(announced.problem("code") == "body_too_large")
            let counted = try exchange(
                site,
                "POST /github/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "6\r\n123456\r\n6\r\n123456\r\n")
            #expect(counted.status == 413)
            #expect(counted["Connection"] == "close")
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test func `50.6 The API's failure goes to the client, a failure of the network is a problem`()
        async throws
    {
        try await World.run(Self.expose) { world, site in
            func post() throws -> Client {
                let client = try site.connect()
                try client.send("POST /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return client
            }
            let first = try post()
            await world.transport.waitForRequests(1)
            await world.reply(#"{"errors":["name"]}"#, status: 422)
            let invalid = try first.answer()
            #expect(invalid.status == 422)
            #expect(invalid.body == #"{"errors":["name"]}"#)
            let second = try post()
            await world.transport.waitForRequests(2)
            await world.fail(TransportError(.connectionFailed, message: "refused"))
            let failed = try second.answer()
            #expect(failed.status == 502)
            #expect(failed["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `50.7 Addresses of the API become those of the gateway, without its keys`() async throws {
        try await World.run({
            $0.expose = ["keyed": ExposeRule(methods: ["POST"])]
            $0.keptHeaders = ["X-Total-Count"]
        }) { world, site in
            await world.add("keyed", "https://api.test/v1/?key=secret")
            let client = try site.connect()
            try client.send("POST /keyed/items HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await world.transport.waitForRequests(1)
            await world.transport.finish(
                .success(
                    TransportResponse(
                        status: 201,
                        headers: Headers([
                            ("Location", "/v1/items/5?key=secret&v=2"), ("Set-Cookie", "a=b"),
                            ("X-Total-Count", "3"), ("X-Other", "4"),
                            (
                                "Link",
                                "<https://api.test/v1/items?key=secret&page=2>; rel=\"next\", <https://other.test/x>; rel=up"
                            ),
                        ]), body: [])))
            await world.settle()
            let answer = try client.answer()
            #expect(answer.status == 201)
            #expect(answer["Location"] == "/keyed/items/5?v=2")
            #expect(answer["Link"] == "</keyed/items?page=2>; rel=\"next\", <https://other.test/x>; rel=up")
            #expect(answer["X-Total-Count"] == "3")
            #expect(answer["X-Other"] == nil)
            #expect(answer["Set-Cookie"] == nil)
        }
    }

    @Test func `50.8 A read with a header that is passed on is one client's own`() async throws {
        try await World.run(
            {
                Self.expose(&$0)
                $0.forwardedHeaders = ["Accept-Language"]
            },
            automatic: { request in
                .success(.stub("\"\(request.headers["Accept-Language"] ?? "none")\"", type: "text/plain"))
            }
        ) { world, site in
            #expect(try site.get("/github/a").body == "\"none\"")
            let own = try site.get("/github/a", fields: ["accept-language: de"])
            #expect(own.body == "\"de\"")
            #expect(own["Cache-Control"] == "no-store")
            #expect(try site.get("/github/a").body == "\"none\"")
            #expect(await world.transport.requests.count == 2)
            let head = try site.get("/github/a", method: "HEAD", fields: ["Accept-Language: fr"])
            #expect(head.status == 200 && head["Content-Length"] == nil)
            #expect(await world.transport.requests.last?.method == "HEAD")
        }
    }

    @Test func `50.9 OPTIONS tells what may be done, and what may not be done says so`() async throws {
        try await World.run(Self.expose) { _, site in
            let options = try site.get("/github/a", method: "OPTIONS")
            #expect(options.status == 204)
            #expect(options["Allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, PURGE, OPTIONS")
            let refused = try site.get("/github/a", method: "QUERY")
            #expect(refused.status == 405)
            #expect(refused["Allow"] == options["Allow"])
            for target in ["/github/a", "/nobody/a", "/-/health"] {
                let unknown = try site.get(target, method: "LINK")
                #expect(unknown.status == 501)
                #expect(unknown.problem("code") == "unknown_method")
                #expect(unknown["Allow"] == nil)
            }
            #expect(try site.get("/nobody/a", method: "OPTIONS").status == 404)
        }
    }

    @Test func `50.10 Secret headers, and those of a connection, can't be passed on`() throws {
        for name in ["Cookie", "Authorization", "Connection", "Host", "Transfer-Encoding", "a b"] {
            var configuration = GatewayConfiguration()
            configuration.forwardedHeaders = [name]
            #expect(throws: GatewayError.self) { try configuration.check() }
            configuration.forwardedHeaders = []
            configuration.keptHeaders = ["Set-Cookie"]
            #expect(throws: GatewayError.self) { try configuration.check() }
        }
        var configuration = GatewayConfiguration()
        configuration.expose = ["github": ExposeRule(methods: ["TRACE"])]
        #expect(throws: GatewayError.self) { try configuration.check() }
    }
}
