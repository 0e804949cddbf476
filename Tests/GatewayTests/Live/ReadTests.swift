import RestEngine
import Testing

@testable import Gateway

@Suite struct ReadTests {
    @Test func `A resource is loaded once and then served with its times`() async throws {
        try await World.run { world, site in
            let client = try site.asking("/github/users/octocat")
            await world.transport.waitForRequests(1)
            await world.reply(#"{"login":"octocat"}"#)
            let loaded = try client.answer()
            #expect(loaded.status == 200)
            #expect(loaded.body == #"{"login":"octocat"}"#)
            #expect(loaded["Content-Type"] == "application/json")
            #expect(loaded["Content-Length"] == "19")
            #expect(loaded["Age"] == "0")
            #expect(loaded["Cache-Control"] == "max-age=30")
            #expect(loaded["Cache-Status"] == "resthost; fwd=miss")
            #expect(loaded["Date"] == "Mon, 12 Jan 1970 13:46:40 GMT")

            world.clock.advance(by: 3)
            let hit = try site.get("/github/users/octocat")
            #expect(hit.body == loaded.body)
            #expect(hit["Age"] == "3")
            #expect(hit["Cache-Control"] == "max-age=30")
            #expect(hit["Cache-Status"] == "resthost; hit; ttl=27")
            #expect(hit["ETag"] == loaded["ETag"])
            #expect(await world.transport.requests.map(\.url) == ["https://api.github.com/v3/users/octocat"])
        }
    }

    @Test func `A stale resource is asked for again`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1]")) }) { world, site in
            _ = try site.get("/github/a")
            world.clock.advance(by: 31)
            let answer = try site.get("/github/a")
            #expect(answer["Cache-Status"] == "resthost; fwd=stale")
            #expect(await world.transport.requests.count == 2)
        }
    }

    @Test func `HEAD has the head of GET and no body`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1,2]")) }) { _, site in
            let get = try site.get("/github/a")
            let client = try site.connect()
            for _ in 0..<2 {
                try client.send("HEAD /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try client.answer(isHead: true)
                #expect(head.status == 200)
                #expect(head["Content-Length"] == "5")
                #expect(head["ETag"] == get["ETag"])
            }
        }
    }

    @Test func `A known entity tag gives 304, whatever its strength`() async throws {
        try await World.run(automatic: { _ in .success(.stub("[1,2]")) }) { _, site in
            let etag = try #require(try site.get("/github/a")["ETag"])
            for list in [etag, "W/" + etag, "\"other\", " + etag, "*"] {
                let answer = try site.get("/github/a", fields: ["If-None-Match: " + list])
                #expect(answer.status == 304)
                #expect(answer["ETag"] == etag)
                #expect(answer["Cache-Control"] == "max-age=30")
                #expect(answer["Content-Length"] == nil)
            }
            #expect(try site.get("/github/a", fields: ["If-None-Match: \"other\""]).status == 200)
        }
    }

    @Test func `The query reaches the upstream as the client wrote it, sorted by name`() async throws {
        try await World.run(automatic: { _ in .success(.stub("{}")) }) { world, site in
            _ = try site.get("/github/search?q=a%2Bb&q=c+d&a=%20")
            #expect(
                await world.transport.requests.last?.url
                    == "https://api.github.com/v3/search?a=%20&q=a%2Bb&q=c+d")
        }
    }

    @Test func `Text keeps its type, and an upstream's type can't break the head`() async throws {
        let types = [
            "a/b\r\nX: y", "a/b\u{1B}[31m", "a/b\u{0}", "a/b; x=\u{9B}", "",
            "a/b; x=" + String(repeating: "y", count: 1100),
        ]
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { request in
            let number = request.url.split(separator: "/").last.flatMap { Int($0) }
            return .success(.stub("hi", type: number.map { types[$0] } ?? "text/plain"))
        }
        try await World.run(automatic: reply) { _, site in
            #expect(try site.get("/github/good")["Content-Type"] == "text/plain")
            for number in types.indices {
                let bad = try site.get("/github/\(number)")
                #expect(bad.status == 200)
                #expect(bad["X"] == nil)
                #expect(bad["Content-Type"] == "application/octet-stream")
                #expect(bad.body == "hi")
            }
        }
    }

    @Test(arguments: [
        (201, "made", 201), (202, "later", 202), (203, "x", 203), (204, "", 204), (205, "", 205),
        (206, "part", 200),
        (207, "x", 207), (226, "x", 200), (299, "x", 299),
    ])
    func `The status of a success is passed on`(_ upstream: Int, body: String, expected: Int) async throws {
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
            .success(.stub(body, status: upstream, type: "application/octet-stream"))
        }
        try await World.run(automatic: reply) { _, site in
            // The first answer is the engine's, the second the network thread's.
            for method in ["GET", "GET", "HEAD", "HEAD"] {
                let client = try site.connect()
                try client.send("\(method) /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try client.answer(isHead: method == "HEAD")
                #expect(answer.status == expected)
                #expect(answer.body == (method == "HEAD" ? "" : body))
                #expect((answer["Content-Type"] == nil) == [204, 205].contains(expected))
                #expect(answer["Content-Length"] == (expected == 204 ? nil : "\(body.utf8.count)"))
                // No further bytes follow the answer.
                try client.send("GET /-/services HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
            let etag = try #require(try site.get("/github/a")["ETag"])
            #expect(expected == 200 || etag.hasSuffix("-\(expected).\""))
            #expect(try site.get("/github/a", fields: ["If-None-Match: \(etag)"]).status == 304)
        }
    }

    @Test func `Content that a stage made from none is content`() async throws {
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
            .success(.stub("", status: 204, type: "application/octet-stream"))
        }
        try await World.run(automatic: reply) { world, site in
            try await world.configure("**") { configuration in
                configuration.pipeline["model"].add(MadeOfNothing())
            }
            let answer = try site.get("/github/a")
            #expect(answer.status == 200)
            #expect(answer.body == "[1]")
        }
    }

    private struct MadeOfNothing: Transformer {
        let description = "something of nothing"

        func process(_ response: Response, _ context: PipelineContext) -> Response {
            guard case .success(var entity) = response else { return response }
            entity.content = .json([1])
            return .success(entity)
        }
    }

    @Test func `An answer of an entity cache is a hit, unless it is too old`() async throws {
        let cache = MemoryCache()
        try await World.run { world, site in
            let cached: @EngineActor @Sendable (inout Configuration) throws -> Void = {
                $0.pipeline["model"].cache = cache
            }
            try await world.configure("**", cached)
            let first = try site.asking("/github/a")
            // The cache is read first.
            await world.waitForReads(1)
            await world.settle()
            await world.transport.waitForRequests(1)
            await world.reply("[1]")
            #expect(try first.answer()["Cache-Status"] == "resthost; fwd=miss")

            // The services that replace it have the same cache. No other spelling of the target is
            // remembered.
            for (target, seconds, reads) in [("/github/%61", 10.0, 2), ("/github/a?", 100.0, 3)] {
                world.clock.advance(by: seconds)
                await world.replace("github", "https://api.github.com/v3")
                try await world.configure("**", cached)
                let client = try site.asking(target)
                await world.waitForReads(reads)
                await world.settle()
                let isStale = reads == 3
                if isStale {
                    await world.transport.waitForRequests(2)
                    await world.reply("[2]")
                }
                let answer = try client.answer()
                #expect(answer.body == (isStale ? "[2]" : "[1]"))
                #expect(
                    answer["Cache-Status"]
                        == (isStale ? "resthost; fwd=miss" : "resthost; hit; ttl=20; detail=cache"))
                #expect(answer["Age"] == (isStale ? "0" : "10"))
            }
        }
    }

    @Test func `A large body comes whole, first and from the cache`() async throws {
        let body = "[" + String(repeating: "1,", count: 400_000) + "1]"
        try await World.run(automatic: { _ in .success(.stub(body)) }) { _, site in
            for _ in 0..<2 {
                let answer = try site.get("/github/large")
                #expect(answer.body == body)
            }
        }
    }
}
