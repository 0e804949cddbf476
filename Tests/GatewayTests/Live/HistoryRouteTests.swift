import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The host's latest requests, for the inspector (rules 76).
@Suite struct HistoryRouteTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub(#"{"name":"Ada","password":"canary-1"}"#))
    }

    /// A gateway for admins, and requests to an API without a gateway in front.
    private func admin(
        _ control: FakeControl, _ body: (World, Site) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        try await World.run(
            {
                $0.listen = ["unix:\(folder.path)/admin.sock"]
                $0.audience = .admins
            }, control: control, automatic: Self.reply, body)
    }

    private func record(_ target: String, _ outcome: String = "fetched", agent: String? = nil) -> AccessRecord
    {
        var record = AccessRecord(
            client: "127.0.0.1", method: "GET", target: target, status: 200, bytes: 7, duration: 0.5,
            endedAt: 1000)
        (record.outcome, record.userAgent) = (outcome, agent)
        return record
    }

    @Test func `76.1 the first look begins it, and it ends when nobody looks any more`() async throws {
        let control = FakeControl()
        let wanted = await Journal()
        await control.hostHistory.onChange { wanted.note("\($0)") }
        try await admin(control) { world, site in
            await world.loaded("before")
            #expect(await !world.engine.hasListeners(of: .attempt))
            #expect(try site.get("/-/history").json?["events"] == [])
            #expect(await world.engine.hasListeners(of: .attempt))
            await world.loaded("after")
            let events = try site.get("/-/history").json?["events"]
            #expect(events?.elements.map { $0["kind"]?.string } == ["request", "attempt", "response"])
            #expect(events?[1]?["phases"]?.kind == .object)
            #expect(events?[1]?["url"]?.string == "https://api.github.com/v3/after")
            // Half of the time later somebody looks again.
            await world.pass(HostHistory.patience / 2)
            _ = try site.get("/-/clients")
            await world.pass(HostHistory.patience * 0.7)
            #expect(await world.engine.hasListeners(of: .attempt))
            await world.pass(HostHistory.patience * 0.4)
            #expect(await !world.engine.hasListeners(of: .attempt))
            #expect(await wanted.take() == ["true", "false"])
        }
    }

    @Test func `76.1 a host with an inspector keeps requests from its start`() async throws {
        let control = FakeControl()
        try await admin(control) { world, site in
            await control.hostHistory.begin(world.engine)
            await world.loaded("early")
            await world.pass(HostHistory.patience * 3)
            let events = try site.get("/-/history").json?["events"]
            #expect(events?[2]?["kind"]?.string == "response")
        }
    }

    @Test func `76.3 clients' requests come by number, the hits apart`() async throws {
        let control = FakeControl()
        let history = control.hostHistory
        try await admin(control) { _, site in
            history.note(record("/github/first?token=canary-2"))
            for number in 0..<ClientHistory.mostKept + 10 { history.note(record("/github/\(number)", "hit")) }
            history.note(record("/github/last", "failed", agent: String(repeating: "a", count: 9000)))
            let answer = try site.get("/-/clients")
            let all = Array((answer.json?["requests"] ?? .null).elements)
            #expect(!answer.body.contains("canary"))
            // Many answers from memory don't push out the others.
            #expect(all.count == ClientHistory.mostKept + 2)
            #expect(all.first?["target"]?.string == "/github/first?token=***")
            #expect(all.first?["began"]?.double == 999.5)
            #expect(all.last?["outcome"]?.string == "failed")
            #expect(all.last?["user_agent"]?.string?.utf8.count == ClientHistory.mostCharacters + 3)
            let last = try #require(answer.json?["last"]?.int)
            #expect(last == Int64(ClientHistory.mostKept) + 12)
            #expect(try site.get("/-/clients?after=\(last)").json?["requests"] == [])
            let newest = try site.get("/-/clients?after=\(last - 2)").json?["requests"]
            #expect(newest?[1] != nil && newest?[2] == nil)
            #expect(try site.get("/-/clients?after=-1").status == 400)
        }
    }

    @Test func `76.4 the messages of one request, with headers and bodies`() async throws {
        let control = FakeControl()
        try await admin(control) { world, site in
            _ = try site.get("/-/history")
            await world.loaded("a")
            let answer = try site.get("/-/exchanges?request=1")
            let exchange = answer.json?["exchanges"]?[0]
            #expect(exchange?["url"]?.string == "https://api.github.com/v3/a")
            #expect(exchange?["answer"]?["status"]?.int == 200)
            #expect(exchange?["answer"]?["body"]?["text"]?.string?.contains("Ada") == true)
            #expect(exchange?["curl"]?.string?.hasPrefix("curl 'https://api.github.com/v3/a'") == true)
            #expect(exchange?["definition"]?.string?.hasPrefix(#"github:define("GET", "a""#) == true)
            #expect(!answer.body.contains("canary"))
            #expect(try site.get("/-/exchanges?request=2").problem("code") == "no_exchange")
            #expect(try site.get("/-/exchanges").problem("code") == "missing_parameter")
            #expect(try site.get("/-/exchanges?request=x").status == 400)
        }
    }

    @Test func `76.6 only admins see requests`() async throws {
        try await World.run(control: FakeControl(), automatic: Self.reply) { world, site in
            for target in ["/-/history", "/-/clients", "/-/exchanges?request=1"] {
                let refused = try site.get(target)
                #expect(refused.problem("code") == "admin_only", "\(target)")
            }
            #expect(await !world.engine.hasListeners(of: .attempt))
        }
    }

    @Test func `66.8 a list of resources says how long each is fresh`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            try await world.configure("/**") { $0.expirationTime = .seconds(60) }
            _ = try site.get("/github/a")
            func row() throws -> Tree? { try site.get("/-/resources").json?["resources"]?[0] }
            #expect(try row()?["fresh_for"]?.double == 60)
            #expect(try row()?["stale"] == nil)
            world.clock.advance(by: 61)
            #expect(try row()?["fresh_for"] == nil)
            #expect(try row()?["stale"]?.bool == true)
        }
    }
}

extension World {
    /// Loads a resource without a gateway.
    fileprivate func loaded(_ path: String) async {
        await load(path)
        await yielding(until: "\(path) is loaded") { await isFresh(path) }
        await settle()
    }

    @EngineActor
    fileprivate func pass(_ seconds: Double) {
        clock.advance(by: seconds)
        settle()
    }
}
