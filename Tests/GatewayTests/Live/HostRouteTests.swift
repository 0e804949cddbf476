import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The `/-/` routes of the public gateway.
@Suite struct HostRouteTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
        .success(.stub("[1]"))
    }

    @Test func `Commands are not for the public gateway, whoever asks`() async throws {
        try await World.run({ $0.bearerToken = "s3cret" }, control: FakeControl()) { _, site in
            for (name, method) in [
                ("reload", "POST"), ("reload", "GET"), ("invalidate", "POST"), ("wipe", "POST"),
                ("status", "GET"),
            ] {
                let answer = try site.get(
                    "/-/\(name)", method: method, fields: ["Authorization: Bearer s3cret"])
                #expect(answer.status == 404)
                #expect(answer.problem("code") == "admin_only")
                #expect(
                    answer.problem("detail")
                        == "/-/\(name) is answered on the host's admin socket alone: try 'resthost \(name)'")
            }
        }
    }

    @Test func `Readiness needs no token and says nothing else`() async throws {
        try await World.run({ $0.bearerToken = "s3cret" }) { world, site in
            await world.setHealth(GatewayHealth(.degraded, message: "reload failed"))
            let ready = try site.get("/-/ready")
            #expect(ready.status == 200)
            #expect(ready.json == ["status": "ready"])
        }
    }

    @Test func `A busy engine is not ready, and says so where it matters`() async throws {
        try await World.run({
            $0.healthTimeout = 0.01
            $0.controlTimeout = 0.01
        }) { _, site in
            let gate = Gate()
            defer { gate.open() }
            let isBusy = Gate()
            EngineLoop.shared.submit {
                isBusy.open()
                gate.wait()
            }
            await isBusy.opened()
            let ready = try site.get("/-/ready")
            #expect(ready.status == 503)
            #expect(ready.json == ["status": "busy"])
            let services = try site.get("/-/services")
            #expect(services.status == 503)
            #expect(services.problem("code") == "busy")
            #expect(services["Retry-After"] == "1")
        }
    }

    @Test func `A wrong method is refused with those that work`() async throws {
        try await World.run { _, site in
            for name in ["health", "ready", "services", "resources", "explain", "metrics"] {
                let answer = try site.get("/-/\(name)", method: "POST")
                #expect(answer.status == 405)
                #expect(answer["Allow"] == "GET, HEAD")
            }
            #expect(
                try site.get("/-/nothing").problem("detail")
                    == "there is no /-/nothing; there are /-/health, /-/ready, /-/services, /-/resources, /-/explain, /-/metrics, /-/events, /-/openapi.json"
            )
        }
    }

    @Test func `Resources are listed with their state`() async throws {
        try await World.run(automatic: { request in
            request.url.hasSuffix("bad") ? .success(.stub("no", status: 500)) : .success(.stub("[1]"))
        }) { world, site in
            #expect(try site.get("/-/resources").json == ["total": 0, "resources": []])
            for path in ["b", "a", "bad"] { _ = try site.get("/github/\(path)") }
            world.clock.advance(by: 7)
            let list = try site.get("/-/resources")
            #expect(list.json?["total"]?.int == 3)
            let first = list.json?["resources"]?[0]
            #expect(first?["service"]?.string == "github")
            #expect(first?["url"]?.string == "https://api.github.com/v3/a")
            #expect(first?["data"]?.bool == true)
            #expect(first?["loading"]?.bool == false)
            #expect(first?["age"]?.int == 7)
            #expect(first?["error"] == nil)
            let failed = list.json?["resources"]?[2]
            #expect(failed?["data"]?.bool == false)
            #expect(failed?["error"]?.string == "http_5xx")
            let short = try site.get("/-/resources?limit=1&service=github")
            #expect(short.json?["total"]?.int == 3)
            #expect(short.json?["resources"]?.count == 1)
        }
    }

    @Test func `A page of many resources comes in order, and others are answered meanwhile`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            await world.add("last", "https://last.example")
            _ = try site.get("/last/a")
            let held = await world.fill((0..<3500).map { "n\($0)" })
            defer { withExtendedLifetime(held) {} }
            let urls = (0..<3500).map { "https://api.github.com/v3/n\($0)" }.sorted()
            for (offset, limit) in [(0, 100), (1000, 1), (3490, 100)] {
                let page = try site.get("/-/resources?offset=\(offset)&limit=\(limit)").json
                #expect(page?["total"]?.int == 3501)
                let shown = page?["resources"]?.elements.compactMap { $0["url"]?.string } ?? []
                #expect(shown == Array((urls + ["https://last.example/a"]).dropFirst(offset).prefix(limit)))
            }
            let metrics = try site.get("/-/metrics").body
            #expect(metrics.contains("resthost_resources{service=\"github\"} 3500"))
            #expect(
                metrics.contains(#"resthost_resources_evicted_total{service="github",reason="no_data"} 0"#))
        }
    }

    @Test func `D42 Resources that went to make room are counted by reason`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            await world.limitResources(to: 10)
            for number in 0..<30 { _ = try site.get("/github/n\(number)") }
            let text = try PrometheusText(try site.get("/-/metrics").body)
            let name = "resthost_resources_evicted_total"
            #expect(text["\(name){service=\"github\",reason=\"count\"}"] ?? 0 >= 10)
            #expect(text["\(name){service=\"github\",reason=\"bytes\"}"] == 0)
        }
    }

    @Test func `Only resources that are exposed are listed, without keys of the base URL`() async throws {
        let expose = ["github": ExposeRule(paths: ["/users/*"]), "keyed": ExposeRule()]
        try await World.run({ $0.expose = expose }, automatic: Self.reply) { world, site in
            await world.add("hidden", "https://h.example")
            await world.add("keyed", "https://user:pass@k.example/?key=s3cret")
            await world.override("secret/plans", content: .json([1]))
            for path in ["/github/users/a", "/keyed/x?y=1&access_token=mine"] {
                #expect(try site.get(path).status == 200)
            }
            let list = try site.get("/-/resources")
            let urls = list.json?["resources"]?.elements.compactMap { $0["url"]?.string } ?? []
            #expect(
                urls == [
                    "https://api.github.com/v3/users/a", "https://k.example/x?access_token=***&key=***&y=1",
                ])
            let hidden = try site.get("/-/resources?service=hidden")
            #expect(hidden.status == 404)
            #expect(hidden.json?["services"] == ["github", "keyed"])
        }
    }

    @Test func `A request is explained for what is exposed`() async throws {
        let control = FakeControl()
        let expose = ["github": ExposeRule(paths: ["/users/*", "/bad"])]
        try await World.run({ $0.expose = expose }, control: control) { _, site in
            let answer = try site.get("/-/explain?service=github&path=/users/a%3Fb=c&method=patch")
            #expect(answer.json == ["url": "https://api.github.com/v3/users/a?b=c"])
            _ = try site.get("/-/explain?service=github&path=users/a")
            #expect(
                await control.explained == [
                    "github PATCH https://api.github.com/v3/users/a?b=c",
                    "github GET https://api.github.com/v3/users/a",
                ])
            let cases = [
                ("", "missing_parameter"), ("?path=/users/a", "missing_parameter"),
                ("?service=github&path=/gists", "not_exposed"),
                ("?service=github&path=/users/..%2F..", "bad_path"),
                ("?service=nothing&path=/", "unknown_service"),
                ("?service=github&path=/users/a&method=G%20T", "bad_parameter"),
                ("?service=github&path=/bad", "script_error"), ("?servce=github", "bad_parameter"),
            ]
            for (query, code) in cases {
                #expect(try site.get("/-/explain" + query).problem("code") == code, "\(query)")
            }
        }
    }

    @Test func `Explaining and listing need the token`() async throws {
        try await World.run(
            { $0.tokens = [GatewayToken(name: "a", secret: .text("s3cret"), isOperator: true)] },
            control: FakeControl()
        ) { _, site in
            for target in ["/-/explain?service=github&path=/a", "/-/resources"] {
                let refused = try site.get(target)
                #expect(refused.status == 401)
                let answer = try site.get(target, fields: ["Authorization: Bearer s3cret"])
                #expect(answer.status == 200)
            }
        }
    }
}
