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
            #expect(hit["Cache-Control"] == "max-age=27")
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
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { request in
            .success(.stub("hi", type: request.url.hasSuffix("/bad") ? "a/b\r\nX: y" : "text/plain"))
        }
        try await World.run(automatic: reply) { _, site in
            #expect(try site.get("/github/good")["Content-Type"] == "text/plain; charset=utf-8")
            let bad = try site.get("/github/bad")
            #expect(bad["X"] == nil)
            #expect(bad["Content-Type"] == "application/octet-stream")
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
