import NIOCore
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Preconditions of changes (rules 50.11, 50.12).
@Suite struct PreconditionTests {
    private static let conditions = [
        ("If-Match", "\"a\", W/\"b\""), ("If-None-Match", "*"),
        ("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ]
    private static let lines =
        conditions.map { "\($0): \($1)" } + ["If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]

    private static func expose(_ configuration: inout GatewayConfiguration) {
        configuration.expose = [
            "github": ExposeRule(
                methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE", "REPORT"])
        ]
    }

    private static func conditions(of request: TransportRequest?) -> [String] {
        (request?.headers.fields ?? []).map { "\($0.name): \($0.value)" }
            .filter { $0.lowercased().hasPrefix("if-") }
    }

    private static let sent = conditions.map { "\($0): \($1)" }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "PURGE", "REPORT"])
    func `50.11 Preconditions of whatever is no read go to the API`(method: String) async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub("{}", status: 412)) }) {
            world, site in
            let answer = try site.get("/github/a", method: method, fields: Self.lines)
            #expect(answer.status == 412)
            #expect(await Self.conditions(of: world.transport.requests.last) == Self.sent)
        }
    }

    @Test func `50.11 A read is answered by the gateway, whatever its preconditions`() async throws {
        try await World.run(Self.expose, automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let answer = try site.get("/github/a", fields: ["If-Match: \"x\""])
            #expect(answer.status == 200)
            #expect(await Self.conditions(of: world.transport.requests.last) == [])
        }
    }

    @Test func `50.11 They go along with a body that is not held, and beside what is forwarded`() async throws
    {
        try await BodyFlow.run({ $0.forwardedHeaders = ["X-Own", "If-Match"] }) { world, site in
            let client = try site.connect()
            let fields = (Self.lines + ["X-Own: 1", "Content-Length: 100000"]).joined(separator: "\r\n")
            try client.send(BodyFlow.head(fields))
            let pipe = try await BodyFlow.pipe(world)
            #expect(await Self.conditions(of: world.transport.requests.last) == Self.sent)
            #expect(await world.transport.requests.last?.headers["X-Own"] == "1")
            await world.reply("{}", status: 412)
            #expect(try client.answer().status == 412)
            #expect(!pipe.isSpent, "nothing of the body was wanted")
        }
    }

    @Test(arguments: [nil, 100_000] as [Int?])
    func `50.11 They go along from a stream of HTTP 2`(length: Int?) async throws {
        try await MultiplexingTests().run(
            {
                $0.limits.maxBodyBytes = BodyFlow.held
                $0.limits.maxStreamedBodyBytes = 1 << 30
            }, automatic: nil
        ) { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let fields = Self.conditions.map { ($0.lowercased(), $1) }
            let size = length.map { [("content-length", "\($0)")] } ?? []
            let (answer, _) = try await client.begin(
                MultiplexedClient.head("POST", "/github/a", fields + size),
                body: [Array(repeating: 1, count: length ?? 2)])
            await world.transport.waitForRequests(1)
            let sent = await Self.conditions(of: world.transport.requests.last)
            #expect(sent.map { $0.lowercased() } == Self.sent.map { $0.lowercased() })
            await world.reply("{}", status: 412)
            #expect(try await answer.get().status == 412)
        }
    }

    @Test func `50.11 They go along each time, when it is sent again and where a redirect leads`()
        async throws
    {
        let statuses = Mutex([503, 307, 307, 200])
        try await World.run(
            Self.expose,
            automatic: { request in
                let status = statuses.withLock { $0.removeFirst() }
                var response = TransportResponse.stub("{}", status: status)
                let isFirst = request.url.hasSuffix("/a")
                response.headers.set("Location", isFirst ? "/v3/b" : "https://other.test/c")
                return .success(response)
            }
        ) { world, site in
            try await world.configure("**") { configuration in
                var retry = RetryPolicy()
                retry.base = .nanoseconds(1)
                configuration.retry = retry
            }
            let client = try site.connect()
            try client.send(
                "PUT /github/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    + Self.lines.joined(separator: "\r\n") + "\r\n\r\n{}")
            await world.transport.waitForRequests(1)
            await world.settle()
            world.clock.advance(by: 1)
            await yielding(until: "it is sent again") {
                await world.settle()
                return await world.transport.requests.count == 4
            }
            await world.settle()
            #expect(try client.answer().status == 200)
            let urls = await world.transport.requests.map(\.url)
            let base = "https://api.github.com/v3"
            #expect(urls == ["\(base)/a", "\(base)/a", "\(base)/b", "https://other.test/c"])
            for request in await world.transport.requests {
                #expect(Self.conditions(of: request) == Self.sent)
                #expect(request.body == Array("{}".utf8))
            }
        }
    }

    // MARK: Tags

    /// An API that keeps one text, and checks If-Match as in RFC 9110 13.1.1.
    private final class Shelf: Sendable {
        private struct State {
            var text = "one"
            var version = 1
        }
        private let state = Mutex(State())
        let tags: @Sendable (Int) -> String?

        init(_ tags: @escaping @Sendable (Int) -> String? = { "\"v\($0),\"" }) { self.tags = tags }

        func change() { state.withLock { $0.version += 1 } }

        func answer(_ request: TransportRequest) -> TransportResult {
            state.withLock { state in
                let tag = tags(state.version)
                let isRead = request.method == "GET"
                if !isRead, let list = request.headers["If-Match"], let tag {
                    guard EntityTag.members(of: list).contains(tag) || list == "*" else {
                        return .success(.stub("{}", status: 412))
                    }
                }
                if !isRead {
                    state.version += 1
                    state.text = String(decoding: request.body ?? [], as: UTF8.self)
                }
                if isRead, let tag, request.headers["If-None-Match"] == tag {
                    return .success(TransportResponse(status: 304))
                }
                let text = String(repeating: state.text, count: isRead ? 1000 : 1)
                var response = TransportResponse.stub(text, type: "text/plain")
                if let tag = tags(state.version) { response.headers.set("ETag", tag) }
                return .success(response)
            }
        }
    }

    private func put(_ site: Site, _ text: String, _ fields: String...) throws -> Answer {
        let client = try site.connect()
        let lines = fields.map { $0 + "\r\n" }.joined()
        try client.send(
            "PUT /github/a HTTP/1.1\r\nHost: localhost\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        )
        return try client.answer()
    }

    @Test func `50.12 Of two clients that change the same content, the second one is refused`()
        async throws
    {
        let shelf = Shelf()
        try await World.run(Self.expose, automatic: { shelf.answer($0) }) { world, site in
            let first = try #require(try site.get("/github/a")["ETag"])
            let second = try #require(try site.get("/github/a", fields: ["Accept-Encoding: gzip"])["ETag"])
            #expect(first != second)
            let changed = try put(site, "two", "If-Match: \(second)")
            #expect(changed.status == 200 && changed["ETag"] == "\"v2,\"")
            #expect(await world.transport.requests.last?.headers["If-Match"] == "\"v1,\"")
            #expect(try put(site, "three", "If-Match: \(first)").status == 412)
            let latest = try site.get("/github/a")
            #expect(latest.body.hasPrefix("twotwo"))
            // The answer's tag is the API's, and is valid as it is.
            #expect(try put(site, "four", "If-Match: \(changed["ETag"] ?? "")").status == 200)
            #expect(try put(site, "five", "If-Match: \(latest["ETag"] ?? "")").status == 412)
        }
    }

    @Test func `50.12 A change that a transformer hides is a change`() async throws {
        let shelf = Shelf()
        try await World.run(Self.expose, automatic: { shelf.answer($0) }) { world, site in
            let old = try #require(try site.get("/github/a")["ETag"])
            shelf.change()
            #expect(try put(site, "x", "If-Match: \(old)").status == 412)
            // Rule 52.6: the next read asks the API. Otherwise the client could never get the current tag.
            let new = try site.get("/github/a")
            #expect(new["ETag"] != old)
            #expect(try put(site, "x", "If-Match: \"other\", \(new["ETag"] ?? "")").status == 200)
            #expect(await world.transport.requests.last?.headers["If-Match"] == "\"other\", \"v2,\"")
        }
    }

    @Test func `50.12 Weak tags stay weak, those of others and a star stay as they are`() async throws {
        let shelf = Shelf { "W/\"v\($0)\"" }
        try await World.run(Self.expose, automatic: { shelf.answer($0) }) { world, site in
            let tag = try #require(try site.get("/github/a")["ETag"])
            #expect(!tag.hasPrefix("W/"))
            for (list, sent) in [
                (tag, "W/\"v1\""), ("W/\(tag)", "W/\"v1\""), ("\"x\"", "\"x\""), ("*", "*"),
            ] {
                _ = try site.get("/github/a", method: "DELETE", fields: ["If-Match: \(list)"])
                #expect(await world.transport.requests.last?.headers["If-Match"] == sent)
                _ = try site.get("/github/a", method: "DELETE", fields: ["If-None-Match: \(list)"])
                #expect(await world.transport.requests.last?.headers["If-None-Match"] == sent)
            }
        }
    }

    @Test func `50.12 Without a tag of the API the gateway can't recognise changes`() async throws {
        let shelf = Shelf { _ in nil }
        try await World.run(Self.expose, automatic: { shelf.answer($0) }) { world, site in
            let tag = try #require(try site.get("/github/a")["ETag"])
            let refused = try put(site, "two", "If-Match: \(tag)")
            #expect(refused.status == 412 && refused.problem("code") == "state_unknown")
            #expect(await world.transport.requests.count == 1)
            #expect(try put(site, "two", "If-Match: \(tag), \"x\"").status == 200)
            #expect(await world.transport.requests.last?.headers["If-Match"] == "\"x\"")
            #expect(try put(site, "three").status == 200)
        }
    }
}
