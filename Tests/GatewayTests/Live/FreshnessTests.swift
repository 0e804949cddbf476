import NIOCore
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Clients' directives about freshness (rules 52).
@Suite struct FreshnessTests {
    @Test(arguments: [
        ("no-cache", 10.0, 2), ("max-age=5", 10, 2), ("max-age=10", 10, 1), ("min-fresh=20", 10, 1),
        ("min-fresh=21", 10, 2), ("max-stale=5", 34, 1), ("max-stale=5", 36, 2), ("max-stale", 3600, 1),
        ("max-age=\"5\"", 10, 2), ("no-store, max-age=x", 10, 1), ("", 10, 1), ("only-if-cached", 10, 1),
    ])
    func `52.1 A client says how fresh it wants it`(_ wish: String, _ age: Double, _ loads: Int) async throws
    {
        try await World.run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            _ = try site.get("/github/a")
            world.clock.advance(by: age)
            let answer = try site.get("/github/a", fields: ["Cache-Control: \(wish)"])
            #expect(answer.status == 200)
            #expect(await world.transport.requests.count == loads)
            if loads == 1 { #expect(answer["Age"] == "\(Int(age))") } else { #expect(answer["Age"] == "0") }
        }
    }

    @Test(arguments: [-69_120_000.0, 69_120_000])
    func `D43 Answers stay fresh as long as they may, however the clock is set`(jump: Double) async throws {
        let routes = [
            GatewayRoute(method: "GET", template: "/count", expirationSeconds: 10) { _, completion in
                completion(.success(.content(Entity(content: .json([2]), timestamp: 0))))
            }
        ]
        try await World.run({ $0.routes = routes }, automatic: { _ in .success(.stub("[1]")) }) {
            world, site in
            for path in ["/github/a", "/count"] { _ = try site.get(path) }
            world.clock.advance(by: 5)
            world.clock.set(by: jump)
            for (path, left) in [("/github/a", 25), ("/count", 5)] {
                let answer = try site.get(path)
                #expect(answer["Age"] == "5")
                #expect(answer["Cache-Status"] == "resthost; hit; ttl=\(left)")
                let date = try #require(answer["Date"])
                #expect(HTTPDate.seconds(date, now: 1_000_000) == max(0, 1_000_005 + jump))
            }
            world.clock.advance(by: 26)
            for path in ["/github/a", "/count"] {
                #expect(try site.get(path)["Cache-Status"]?.contains("fwd=") == true)
            }
            #expect(await world.transport.requests.count == 2)
        }
    }

    @Test func `52.2 only-if-cached asks nobody`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            let fields = ["Cache-Control: only-if-cached"]
            let miss = try site.get("/github/a", fields: fields)
            #expect(miss.status == 504)
            #expect(miss.problem("code") == "not_cached")
            _ = try site.get("/github/a")
            #expect(try site.get("/github/a", fields: fields).status == 200)
            world.clock.advance(by: 31)
            #expect(try site.get("/github/a", fields: fields).status == 504)
            let stale = try site.get("/github/a", fields: ["Cache-Control: only-if-cached, max-stale=10"])
            #expect(stale["Cache-Status"] == "resthost; hit; ttl=-1")
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `52.3 Wishes for something new are one load together`() async throws {
        try await World.run { world, site in
            let fields = "GET /github/a HTTP/1.1\r\nHost: localhost\r\nCache-Control: no-cache\r\n\r\n"
            let clients = try (0..<3).map { _ in try site.connect() }
            for client in clients { try client.send(fields) }
            await world.waitForReads(3)
            await world.reply("[2]")
            for client in clients { #expect(try client.answer().body == "[2]") }
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `52.4 A load for which nobody waits any more is cancelled`() async throws {
        try await World.run { world, site in
            var clients = try (0..<2).map { _ in try site.asking("/github/a") }
            await world.waitForReads(2)
            clients.removeFirst()
            let other = try site.asking("/github/b")
            await world.transport.waitForRequests(2)
            #expect(await world.transport.openCalls == 2)
            clients.removeFirst()
            await world.transport.waitForOpenCalls(1)
            _ = other
        }
    }

    @Test func `52.5 A load that somebody else began, or waits for too, goes on`() async throws {
        try await World.run { world, site in
            await world.load("a")
            var client: Client? = try site.asking("/github/a")
            await world.waitForReads(1)
            var second: Client? = try site.asking("/github/b")
            await world.transport.waitForRequests(2)
            await world.join("b")
            (client, second) = (nil, nil)
            _ = (client, second)
            _ = try site.get("/-/health")
            #expect(await world.transport.openCalls == 2)
        }
    }

    @Test func `52.1 max-age counts from the same moment as Age`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            try await world.configure("**") { $0.expirationTime = .seconds(60) }
            let tag = try #require(try site.get("/github/a")["ETag"])
            for (seconds, age) in [(0.0, "0"), (32.0, "32"), (27.9, "59")] {
                world.clock.advance(by: seconds)
                for fields in [[], ["If-None-Match: \(tag)"], ["Accept: application/json"]] {
                    for _ in 0..<2 {
                        let answer = try site.get("/github/a", fields: fields)
                        #expect(answer.status == (fields.first?.contains("None") == true ? 304 : 200))
                        #expect(answer["Age"] == age)
                        #expect(answer["Cache-Control"] == "max-age=60")
                    }
                }
            }
            // Stale content is older than its lifetime.
            world.clock.advance(by: 10)
            let stale = try site.get("/github/a", fields: ["Cache-Control: max-stale=30"])
            #expect(stale["Age"] == "69" && stale["Cache-Control"] == "max-age=60")
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test(arguments: [1_700_000_000.123, 1_700_000_000.7, 0.1])
    func `52.1 A lifetime loses no second to rounding`(_ time: Double) {
        for lifetime in [0, 1, 7, 60, 299, 86_400] {
            let content = EncodedContent(contentType: "text/plain", body: [1], status: 200)
            let answer = PublishedAnswer(
                content: content, timestamp: time, expiresAt: time + Double(lifetime))
            let freshness = Freshness(of: answer, .hit(.memory), now: time)
            let head = ResponseHead(status: 200, freshness: freshness).lines()
            #expect(String(buffer: head).contains("\r\nCache-Control: max-age=\(lifetime)\r\n"))
        }
    }

    @Test(arguments: ["POST", "DELETE", "QUERY"])
    func `52.6 A resource that a client changed is loaded again`(method: String) async throws {
        let isGone = Mutex(false)
        try await World.run(
            { $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", method])] },
            automatic: { request in
                if request.method == "GET", isGone.withLock({ $0 }) {
                    return .success(.stub("gone", status: 404, type: "text/plain"))
                }
                return .success(.stub("[1]", status: request.url.hasSuffix("/no") ? 409 : 200))
            }
        ) { _, site in
            #expect(try site.get("/github/a").status == 200)
            isGone.withLock { $0 = true }
            #expect(try site.get("/github/no", method: method).status == 409)
            #expect(try site.get("/github/a").status == 200)
            #expect(try site.get("/github/a", method: method).status == 200)
            let status = try site.get("/github/a").status
            #expect(status == (method == "QUERY" ? 200 : 404))
        }
    }

    private static func exposeWrites(_ configuration: inout GatewayConfiguration) {
        configuration.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "PUT"])]
    }

    private func put(_ site: Site, _ target: String) throws -> Client {
        let client = try site.connect()
        try client.send("PUT \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        return client
    }

    @Test func `52.6 What is asked after a change doesn't wait for what was asked before`() async throws {
        try await World.run(Self.exposeWrites) { world, site in
            let early = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            let writer = try put(site, "/github/a")
            await world.transport.waitForRequests(2)
            await world.reply("{}", to: "PUT")
            #expect(try writer.answer().status == 200)
            let late = try site.asking("/github/a")
            await world.transport.waitForRequests(3)
            await world.reply("[1]")
            let old = try early.answer()
            #expect(old.body == "[1]" && old["Cache-Control"] == "max-age=0")
            await world.reply("[2]")
            #expect(try late.answer().body == "[2]")
            #expect(try site.get("/github/a").body == "[2]")
            #expect(await world.transport.requests.count == 3)
        }
    }

    @Test func `52.6 What was asked before a change is not fresh behind it`() async throws {
        try await World.run(Self.exposeWrites) { world, site in
            let early = try site.asking("/github/a")
            await world.transport.waitForRequests(1)
            let writer = try put(site, "/github/a")
            await world.transport.waitForRequests(2)
            await world.reply("{}", to: "PUT")
            #expect(try writer.answer().status == 200)
            await world.reply("[1]")
            #expect(try early.answer().body == "[1]")
            let late = try site.asking("/github/a")
            await world.transport.waitForRequests(3)
            await world.reply("[2]")
            #expect(try late.answer().body == "[2]")
        }
    }

    @Test func `52.6 69.2 A change is known when its answer begins, which isn't held`() async throws {
        try await BodyFlow.run { world, site in
            try await world.configure("/files/**") { $0.expirationTime = .seconds(60) }
            await world.override("files/a", content: .json([1]))
            #expect(await world.isFresh("files/a"))
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 2", "/github/files/a") + "{}")
            await world.transport.waitForRequests(1)
            await world.streamed().open()
            #expect(try client.headAlone().status == 200)
            #expect(await world.isFresh("files/a") == false)
            await world.streamed().end()
            await world.settle()
        }
    }
}
