import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Computed resources through the gateway (rules 71).
@Suite struct ComputedAnswerTests {
    /// `/sum` is made of `/a`, whose content is local.
    private static func run(_ body: @escaping (World, Site) async throws -> Void) async throws {
        try await World.run({ $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST"])] }) {
            world, site in
            await declare(world)
            await world.override("a", content: .text("one"))
            // The function is a task, so nothing says when the engine has work.
            let ticks = Task { @EngineActor in
                while !Task.isCancelled {
                    world.settle()
                    await Task.yield()
                }
            }
            defer { ticks.cancel() }
            try await body(world, site)
            ticks.cancel()
            await ticks.value
        }
    }

    @EngineActor
    private static func declare(_ world: World) {
        world.service(named: "github")?.computed("/sum", expirationTime: .seconds(60)) { [weak world] _, _ in
            guard let service = world?.service(named: "github") else { return .text("") }
            return .text("sum of \(try await service.resource("a").get().content.text ?? "")")
        }
    }

    @Test func `a read computes it, and later ones get it from memory with the age of its source`()
        async throws
    {
        try await Self.run { world, site in
            world.clock.advance(by: 5)
            let client = try site.connect()
            try client.send("GET /github/sum HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let first = try client.answer()
            #expect(first.status == 200 && first.body == "sum of one")
            #expect(first["Age"] == "5" && first["Cache-Control"] == "max-age=65")
            world.clock.advance(by: 60)
            let second = try site.get("/github/sum")
            #expect(second["Age"] == "65" && second["Cache-Status"] == "resthost; hit; ttl=0")
        }
    }

    @Test func `a stream tells of its new content when a source changes`() async throws {
        try await Self.run { world, site in
            let stream = try StreamTests.open(site, "/github/sum")
            _ = try stream.head()
            #expect(
                try [stream.event().name, stream.event().name, stream.event().name] == [
                    "state", "requested", "new_data",
                ])
            await world.override("a", content: .text("two"))
            #expect(try stream.event().name == "requested")
            #expect(try stream.event().data.contains("sum of two"))
            #expect(await world.isObserved("a"))
        }
    }

    @Test func `71.1 other methods are 405, and name those that are possible`() async throws {
        try await Self.run { world, site in
            let client = try site.connect()
            try client.send("POST /github/sum HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            let answer = try client.answer()
            #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD")
            #expect(answer.body.contains("can only be read"))
        }
    }
}
