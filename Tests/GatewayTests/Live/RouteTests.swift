import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Routes of the program itself (rules 54).
@Suite struct RouteTests {
    private static func route(
        _ method: String, _ template: String, keeping seconds: Double? = nil,
        _ answer: @escaping @EngineActor @Sendable (ServedRequest) -> Result<Entity, RequestError>
    ) -> GatewayRoute {
        GatewayRoute(method: method, template: template, expirationSeconds: seconds) { request, completion in
            completion(answer(request).served)
        }
    }

    private static func json(_ tree: Tree, status: Int = 200) -> Result<Entity, RequestError> {
        var entity = Entity(
            content: .value(tree), contentType: "application/json",
            headers: Headers([("X-Own", "1"), ("Set-Cookie", "a=b"), ("Content-Length", "99")]), timestamp: 0)
        entity.status = status
        return .success(entity)
    }

    @Test func `54.1 A route gets what the client sent, and its answer goes out`() async throws {
        try await World.run({
            $0.routes = [
                Self.route("POST", "/report/{day}") { request in
                    Self.json(
                        Tree(pairs: [
                            ("day", Tree(request.params[0].value)),
                            ("body", Tree(String(decoding: request.body.bytesInMemory, as: UTF8.self))),
                            ("q", Tree(request.query.map { Tree("\($0.name)=\($0.value)") })),
                            ("type", Tree(request.headers["Content-Type"] ?? "")),
                        ]), status: 202)
                }
            ]
        }) { world, site in
            let client = try site.connect()
            try client.send(
                "POST /report/a%25%20b?x=1%202&y HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"
            )
            let answer = try client.answer()
            #expect(answer.status == 202)
            #expect(answer.body == #"{"day":"a% b","body":"hi","q":["x=1 2","y="],"type":"text/plain"}"#)
            #expect(answer["X-Own"] == "1")
            #expect(answer["Set-Cookie"] == "a=b" && answer["Cache-Control"] == "no-store")
            let wrong = try site.get("/report/a")
            #expect(wrong.status == 405)
            #expect(wrong["Allow"] == "POST, OPTIONS")
            #expect(try site.get("/report").status == 404)
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test(arguments: [nil, 10.0])
    func `54.1 an answer to one client sets its own tag, cookies and cache rules`(keeping: Double?)
        async throws
    {
        try await World.run({
            $0.routes = [
                Self.route("GET", "/page", keeping: keeping) { _ in
                    .success(
                        Entity(
                            content: .text("hello"), contentType: "text/plain",
                            headers: Headers([
                                ("ETag", "\"one\""), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"),
                                ("Cache-Control", "max-age=5"), ("Location", "/here"),
                                ("Connection", "close"),
                                ("Date", "never"),
                            ]), timestamp: 0))
                }
            ]
        }) { _, site in
            let answer = try site.get("/page")
            #expect(answer.status == 200 && answer.body == "hello" && answer["Location"] == "/here")
            #expect(answer["Date"] != "never" && answer["Connection"] == nil)
            let cookies = answer.fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
            let known = try site.get("/page", fields: ["If-None-Match: \"zero\", W/\"one\""])
            guard keeping == nil else {
                // Everybody gets this answer.
                #expect(cookies.isEmpty && answer["ETag"] != "\"one\"" && known.status == 200)
                return #expect(answer["Cache-Control"] == "max-age=10")
            }
            #expect(cookies == ["a=1", "b=2"] && answer["ETag"] == "\"one\"")
            #expect(answer["Cache-Control"] == "max-age=5")
            #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == "\"one\"")
            #expect(try site.get("/page", fields: ["If-None-Match: \"two\""]).status == 200)
        }
    }

    @Test func `54.2 An answer that is kept is made once, and then comes from memory`() async throws {
        let count = Count()
        try await World.run({
            $0.routes = [
                Self.route("GET", "/count", keeping: 10) { _ in
                    count.value += 1
                    return Self.json(Tree(count.value))
                }
            ]
        }) { world, site in
            let first = try site.get("/count")
            #expect(first.body == "1")
            #expect(first["Cache-Control"] == "max-age=10")
            #expect(first["Cache-Status"] == "resthost; fwd=miss")
            world.clock.advance(by: 4)
            let hit = try site.get("/count")
            #expect(hit["Cache-Status"] == "resthost; hit; ttl=6")
            #expect(hit["Age"] == "4" && hit["Cache-Control"] == "max-age=10")
            #expect(try site.get("/count", method: "HEAD")["Content-Length"] == "1")
            #expect(try site.get("/count?x=1").body == "2")
            world.clock.advance(by: 11)
            #expect(try site.get("/count").body == "3")
        }
    }

    @EngineActor
    private final class Count {
        var value = 0
        nonisolated init() {}
    }

    @Test(arguments: [100, 101, 199, 600, 999, -1])
    func `54.4 A status that no answer can have is a failure, kept or not`(_ status: Int) async throws {
        try await World.run({
            $0.showsScriptErrors = true
            $0.routes = [
                Self.route("GET", "/now") { _ in Self.json([1], status: status) },
                Self.route("GET", "/kept", keeping: 60) { _ in Self.json([1], status: status) },
            ]
        }) { _, site in
            let client = try site.connect()
            for target in ["/now", "/kept", "/kept"] {
                try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try client.answer()
                #expect(answer.status == 500)
                #expect(answer.problem("code") == "script_error")
                #expect(answer.problem("detail")?.contains("from 200 to 599, and not \(status)") == true)
            }
        }
    }

    @Test func `51.6 A route that has nothing of what is accepted says what it has`() async throws {
        try await World.run({
            $0.routes = [
                Self.route("GET", "/now") { _ in Self.json([1]) },
                Self.route("GET", "/kept", keeping: 60) { _ in Self.json([1]) },
                Self.route("GET", "/failed") { _ in Self.json([1], status: 404) },
                Self.route("GET", "/none") { _ in Self.json([], status: 204) },
                Self.route("POST", "/done") { _ in Self.json([1]) },
                Self.route("GET", "/events") { _ in
                    .success(
                        Entity(
                            content: .bytes(Array("data: 1\n\n".utf8)), contentType: "text/event-stream",
                            timestamp: 0))
                },
            ]
        }) { _, site in
            for accept in ["text/event-stream", "text/html, application/json;q=0"] {
                for target in ["/now", "/kept", "/kept"] {
                    let answer = try site.get(target, fields: ["Accept: \(accept)"])
                    #expect(answer.status == 406)
                    #expect(answer.json?["available"] == ["application/json"])
                    #expect(try site.get(target, method: "HEAD", fields: ["Accept: \(accept)"]).status == 406)
                }
                #expect(try site.get("/failed", fields: ["Accept: \(accept)"]).status == 404)
                #expect(try site.get("/none", fields: ["Accept: \(accept)"]).status == 204)
                let done = try site.get(
                    "/done", method: "POST", fields: ["Accept: \(accept)", "Content-Length: 0"])
                #expect(done.status == 200)
            }
            #expect(try site.get("/now", fields: ["Accept: application/*"]).body == "[1]")
            let events = try site.get("/events", fields: ["Accept: text/event-stream"])
            #expect(events.status == 200 && events.body == "data: 1\n\n")
        }
    }

    @Test func `54.1 Of a path that several routes have each method is named once`() async throws {
        try await World.run({
            $0.routes = [
                Self.route("GET", "/a/{x}") { _ in Self.json([1]) },
                Self.route("GET", "/a/b") { _ in Self.json([1]) },
                Self.route("PURGE", "/a/b") { _ in Self.json([1]) },
            ]
        }) { _, site in
            let refused = try site.get("/a/b", method: "PUT")
            #expect(refused.status == 405)
            #expect(refused["Allow"] == "GET, PURGE, HEAD, OPTIONS")
            #expect(try site.get("/a/b", method: "OPTIONS")["Allow"] == refused["Allow"])
            #expect(try site.get("/a/b", method: "LINK").status == 501)
        }
    }

    @Test func `54.3 A text goes before a name, and a route before a service`() async throws {
        try await World.run(
            {
                $0.routes = [
                    Self.route("GET", "/github/{name}") { Self.json(Tree("name " + $0.params[0].value)) },
                    Self.route("GET", "/github/me") { _ in Self.json(Tree("me")) },
                ]
            }, automatic: { _ in .success(.stub("[1]")) }
        ) { _, site in
            let text = try site.get("/github/me")
            #expect(text.body == "\"me\"")
            #expect(try site.get("/github/you").body == "\"name you\"")
            #expect(try site.get("/github/you/there").body == "[1]")
        }
    }

    @Test func `54.4 A failure is a problem`() async throws {
        try await World.run({
            $0.routes = [
                Self.route("GET", "/bad") { _ in
                    .failure(
                        RequestError(
                            cause: .scriptError(.init(message: "no", file: "a.lua", line: 3)), timestamp: 0))
                }
            ]
        }) { _, site in
            let answer = try site.get("/bad")
            #expect(answer.status == 500)
            #expect(answer["Content-Type"] == "application/problem+json")
        }
    }

    @Test(arguments: [
        ("GET", "report"), ("GET", "/-/x"), ("GET", "/a?b"), ("GET", "/{a}/{a}"), ("GET", "/a{b}"),
        ("GET", "/{}"), ("GET", "/{a*}/b"), ("GET", "/{*}"), ("GET", "/{a**}"), ("GET", "/x{a*}"),
        ("TRACE", "/a"), ("a b", "/a"), ("GET", "/{x}/b"),
    ])
    func `54.5 An invalid route is refused before anything starts`(_ method: String, _ template: String)
        throws
    {
        var configuration = GatewayConfiguration()
        configuration.routes = [("GET", "/{other}/b"), (method, template)].map { method, template in
            Self.route(method, template) { _ in Self.json([]) }
        }
        #expect(throws: GatewayError.self) { try configuration.check() }
    }
}
