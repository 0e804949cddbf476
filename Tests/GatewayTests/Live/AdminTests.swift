import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct AdminTests {
    /// Runs `body` with a gateway for admins in its own folder.
    private func run(
        _ control: FakeControl = FakeControl(), _ configure: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (World, Site) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        try await World.run(
            {
                $0.listen = ["unix:\(folder.path)/admin.sock"]
                $0.audience = .admins
                $0.threads = 1
                configure(&$0)
            }, control: control, automatic: { _ in .success(.stub("[1]")) }, body)
        #expect(access("\(folder.path)/admin.sock", F_OK) != 0)
    }

    @Test func `The socket is its owner's alone`() async throws {
        try await run { _, site in
            var status = stat()
            #expect(stat(String(site.addresses[0].dropFirst(5)), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(status.st_mode & S_IFMT == S_IFSOCK)
        }
    }

    @Test func `Commands are taken on Unix sockets alone`() async {
        let world = await World.empty()
        var configuration = GatewayConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.audience = .admins
        #expect(throws: GatewayError.self) { try Gateway(configuration, directory: world) }
    }

    @Test func `A reload answers when it is done`() async throws {
        let control = FakeControl(isSlow: true)
        try await run(control) { _, site in
            let client = try site.connect()
            try client.send("POST /-/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            await yielding(until: "a reload is asked for") { await control.isAsked }
            await control.finishReload()
            let answer = try client.answer()
            #expect(answer.status == 200)
            #expect(answer.json == ["generation": 2])
        }
    }

    @Test func `A failed reload says where`() async throws {
        let problem = ControlProblem(
            422, "reload_failed", "unexpected symbol", members: [.init("file", "a.lua"), .init("line", 3)])
        try await run(FakeControl(reloads: [.failure(problem)])) { _, site in
            let answer = try site.get("/-/reload", method: "POST")
            #expect(answer.status == 422)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.problem("detail") == "unexpected symbol")
            #expect(answer.problem("file") == "a.lua")
            #expect(answer.json?["line"]?.int == 3)
        }
    }

    @Test func `A body is ignored when it is small`() async throws {
        try await run { _, site in
            let client = try site.connect()
            try client.send("POST /-/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            let answer = try client.answer()
            #expect(answer.status == 200)
            #expect(answer["Connection"] == "close")
            #expect(try client.isClosed())
            for field in ["Content-Length: 65537", "Transfer-Encoding: chunked"] {
                let refused = try site.get("/-/reload", method: "POST", fields: [field])
                #expect(refused.status == 413)
                #expect(refused.problem("detail")?.contains("65536") == true)
            }
            #expect(try site.get("/-/status", fields: ["Content-Length: 2"]).status == 413)
        }
    }

    @Test func `It shows the host and no resource, and knows no token`() async throws {
        try await run(FakeControl(), { $0.bearerToken = nil }) { _, site in
            #expect(try site.get("/-/status").json == ["pid": 1])
            #expect(try site.get("/-/health").problem("status") == "ok")
            #expect(try site.get("/-/resources").status == 200)
            let read = try site.get("/github/a")
            #expect(read.status == 404)
            #expect(read.problem("detail")?.contains("resources are on the gateway's") == true)
            let wrong = try site.get("/-/reload")
            #expect(wrong.status == 405)
            #expect(wrong["Allow"] == "POST")
        }
    }

    @Test func `Invalidating makes blocks run again`() async throws {
        try await run { world, site in
            await world.add("weather", "https://w.example")
            let before = await world.service(named: "weather")?.configurationVersion
            let one = try site.get("/-/invalidate?service=weather", method: "POST")
            #expect(one.json == ["services": ["weather"]])
            let after = await world.service(named: "weather")?.configurationVersion
            #expect(before != after)
            #expect(
                try site.get("/-/invalidate", method: "POST").json == ["services": ["github", "weather"]])
            let unknown = try site.get("/-/invalidate?service=wether", method: "POST")
            #expect(unknown.status == 404)
            #expect(unknown.problem("detail") == "there is no service 'wether'")
            #expect(unknown.json?["services"] == ["github", "weather"])
        }
    }

    @Test func `Wiping takes what matches`() async throws {
        try await run { world, site in
            let held = await world.fill(["users/a", "users/b", "repos/c"])
            let some = try site.get("/-/wipe?service=github&pattern=/users/*", method: "POST")
            #expect(some.json == ["service": "github", "resources": 2])
            #expect(await World.haveData(held) == [false, false, true])
            let bad = try site.get("/-/wipe?service=github&pattern=a%23b", method: "POST")
            #expect(bad.problem("code") == "bad_parameter")
            #expect(try site.get("/-/wipe", method: "POST").problem("code") == "missing_parameter")
            let all = try site.get("/-/wipe?service=github", method: "POST")
            #expect(all.json?["resources"]?.int == 3)
            #expect(await World.haveData(held) == [false, false, false])
        }
    }

    @Test func `77.7 One partition is wiped, and the list and the metrics know it`() async throws {
        try await run { world, site in
            let held = await Self.fillPartitions(world)
            #expect(
                try site.get("/-/metrics").body.contains("resthost_partitions{service=\"github\"} 2"))
            let listed = try site.get("/-/resources").json?["resources"]?.elements.compactMap {
                $0["partition"]?.string
            }
            #expect(listed?.sorted() == ["ada", "bob"])
            let wiped = try site.get("/-/wipe?service=github&partition=ada", method: "POST")
            #expect(wiped.json == ["service": "github", "resources": 1])
            #expect(await World.haveData(held) == [true, false, true])
        }
    }

    /// One resource of everybody and of two partitions, with data.
    @EngineActor
    private static func fillPartitions(_ world: World) -> [Resource] {
        let shared = world.fill(["a"])[0]
        let own = ["ada", "bob"].map { shared.service.resource(absoluteURL: shared.urlString, partition: $0) }
        for resource in own {
            resource.overrideLocalData(Entity(content: .text("x"), contentType: "text/plain", timestamp: 1))
        }
        return [shared] + own
    }

    @Test func `Wiping takes one resource, whatever its path has`() async throws {
        try await run { world, site in
            let held = await world.fill(["a*(b)", "ax(b)", "a*(b)/c"])
            let one = try site.get("/-/wipe?service=github&path=/a*(b)", method: "POST")
            #expect(one.json == ["service": "github", "resources": 1])
            #expect(await World.haveData(held) == [false, true, true])
            let both = try site.get("/-/wipe?service=github&path=/a&pattern=/b", method: "POST")
            #expect(both.problem("code") == "bad_parameter")
        }
    }

    @Test func `Others have their turn while very many resources are wiped`() async throws {
        try await run { world, _ in
            let left = await Self.leftAfterFirstPart(world)
            #expect(100..<300 ~= left.atFirst)
            #expect(left.atLast == 0)
        }
    }

    /// The number of 300 resources that have data after the first part of a wipe, and after all of it. Each
    /// has an observer that takes a tenth of a millisecond.
    @EngineActor
    private static func leftAfterFirstPart(_ world: World) async -> (atFirst: Int, atLast: Int) {
        let resources = world.fill((0..<300).map { "r\($0)" })
        for resource in resources {
            resource.addObserver(owner: world) { _, _ in
                let end = ClockReading.seconds(of: CLOCK_MONOTONIC) + 0.0001
                while ClockReading.seconds(of: CLOCK_MONOTONIC) < end {}
            }
        }
        func countData() -> Int { World.haveData(resources).count { $0 } }
        var atFirst = 0
        let _: Bool? = await waiting(for: "the end of the wipe") { notified in
            ResourceWipe(resources[0].service, partition: nil, nil) { _ in notified(true) }.wipe()
            atFirst = countData()
        }
        return (atFirst, countData())
    }
}
