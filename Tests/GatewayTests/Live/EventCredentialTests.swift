import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Tokens of streams of events in a cookie or a parameter, for `EventSource`.
@Suite struct EventCredentialTests {
    private static let token = "s3cret-of-an-event-source"

    private static func set(_ configuration: inout GatewayConfiguration) {
        configuration.bearerToken = token
        configuration.eventCredentials = EventCredentials(cookie: "session", parameter: "token")
    }

    @Test(arguments: [
        ("/github/a?token=\(token)", ""), ("/github/a", "Cookie: a=b; session=\(token)"),
        ("/github/a?token=s3cret%2Dof-an-event-source&x=1", "Cookie: session="),
        ("/github/a", "Authorization: Bearer \(token)"),
        ("/github/a?token=wrong", "Authorization: Bearer \(token)"),
    ]) func `a stream is let in, and the API doesn't get the token`(target: String, field: String)
        async throws
    {
        try await World.run(Self.set) { world, site in
            let stream = try StreamTests.open(site, target, fields: field.isEmpty ? [] : [field])
            await world.transport.waitForRequests(1)
            #expect(try stream.head().status == 200)
            #expect(try stream.event().name == "state")
            let sent = try #require(await world.transport.requests.last)
            #expect(sent.url.hasSuffix(target.contains("x=1") ? "/a?x=1" : "/a"), "\(sent.url)")
            #expect(!sent.headers.contains("Cookie"))
        }
    }

    @Test(arguments: [
        ("text/event-stream", "/github/a?token=wrong", ""),
        ("text/event-stream", "/github/a?x_token=\(token)", ""),
        ("text/event-stream", "/github/a", "Cookie: xsession=\(token)"),
        // Only what EventSource sends.
        ("application/json", "/github/a?token=\(token)", ""),
        ("*/*", "/github/a", "Cookie: session=\(token)"),
    ]) func `nothing else is`(accept: String, target: String, cookie: String) async throws {
        try await World.run(Self.set) { _, site in
            let fields = ["Accept: \(accept)"] + (cookie.isEmpty ? [] : [cookie])
            let answer = try site.get(target, fields: fields)
            #expect(answer.status == 401 && !answer.body.contains(Self.token))
            #expect(try site.get("/github/a", method: "POST", fields: fields).status == 401)
        }
    }

    @Test func `without the option nobody is let in by them`() async throws {
        try await World.run({ $0.bearerToken = Self.token }) { _, site in
            let fields = ["Accept: text/event-stream", "Cookie: session=\(Self.token)"]
            let answer = try site.get("/github/a?token=\(Self.token)", fields: fields)
            #expect(answer.status == 401)
        }
    }

    @Test func `the next request on the connection shows its own token`() async throws {
        try await World.run(Self.set, automatic: { _ in .success(.stub("[1]")) }) { _, site in
            let client = try site.connect()
            let head = "HTTP/1.1\r\nHost: localhost\r\n"
            // It is no resource, so the answer ends.
            try client.send(
                "GET /none/a?token=\(Self.token) \(head)Accept: text/event-stream\r\n\r\n")
            #expect(try client.answer().status == 404)
            try client.send("GET /github/a \(head)\r\n")
            #expect(try client.answer().status == 401)
        }
    }

    @Test func `a route gets the other cookies alone`() async throws {
        let seen = GatewayRoute(method: "GET", template: "/cookies", expirationSeconds: nil) {
            request, finish in
            let text = request.headers["Cookie"] ?? "none"
            finish(
                .success(
                    .content(Entity(content: .text(text), contentType: "text/event-stream", timestamp: 0))))
        }
        try await World.run({
            Self.set(&$0)
            $0.routes = [seen]
        }) { _, site in
            for (cookie, left) in [
                ("a=b; session=\(Self.token); c=d", "a=b; c=d"), ("session=\(Self.token)", "none"),
            ] {
                let answer = try site.get(
                    "/cookies", fields: ["Accept: text/event-stream", "Cookie: \(cookie)"])
                #expect(answer.body == left)
            }
        }
    }

    @Test func `log and metrics don't have it, and a withdrawn token ends the stream`() async throws {
        let log = AccessList()
        try await World.run({
            Self.set(&$0)
            $0.accessLog = { log.append($0) }
        }) { world, site in
            let stream = try StreamTests.open(site, "/github/a?token=\(Self.token)&x=1")
            await world.transport.waitForRequests(1)
            #expect(try stream.head().status == 200)
            #expect(try stream.event().name == "state")
            #expect(try stream.event().name == "requested")
            var update = GatewayConfiguration(listen: ["127.0.0.1:0"], bearerToken: "another-token-of-it")
            update.eventCredentials = EventCredentials(parameter: "token")
            update.accessLog = { log.append($0) }
            await site.gateway.commit(try site.gateway.prepare(update))
            #expect(try stream.isClosed())
            await yielding(until: "it is noted") { !log.lines.isEmpty }
            #expect(log.lines.count == 1 && log.lines[0].hasPrefix("GET /github/a?x=1 200 "))
        }
    }
}
