import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct HealthTests {
    @Test func `Health is what the host says, with the services`() async throws {
        try await World.run { world, site in
            let well = try site.get("/-/health")
            #expect(well.status == 200)
            #expect(well["Content-Type"] == "application/json")
            #expect(well.json == ["status": "ok", "services": ["github"]])
            await world.setHealth(GatewayHealth(.degraded, message: "reload failed: github.lua:3"))
            let ill = try site.get("/-/health")
            #expect(ill.status == 200)
            #expect(ill.problem("status") == "degraded")
            #expect(ill.problem("message") == "reload failed: github.lua:3")
        }
    }

    @Test func `Health does not wait for an engine that is stuck`() async throws {
        try await World.run({ $0.healthTimeout = 0.01 }) { _, site in
            let gate = Gate()
            defer { gate.open() }
            EngineLoop.shared.submit { gate.wait() }
            let client = try site.asking("/-/health")
            let stuck = try client.answer()
            #expect(stuck.problem("status") == "degraded")
        }
        try await World.run { _, site in
            let well = try site.get("/-/health")
            #expect(well.problem("status") == "ok")
        }
    }

    @Test func `The list of services, and names that are not there`() async throws {
        try await World.run { _, site in
            #expect(try site.get("/-/services").json == ["services": ["github"]])
            #expect(try site.get("/-/services", method: "HEAD").body.isEmpty)
            for target in ["/-/nothing", "/-/nothing/", "/-/health/more"] {
                let answer = try site.get(target)
                #expect(answer.status == 404)
                #expect(answer.problem("code") == "not_found")
            }
        }
    }
}
