import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// `/-/metrics` (rules 65).
@Suite struct MetricTests {
    private static let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { request in
        request.url.hasSuffix("bad") ? .success(.stub("no", status: 500)) : .success(.stub("[1]"))
    }

    private func scrape(_ site: Site) throws -> PrometheusText {
        let answer = try site.get("/-/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try PrometheusText(answer.body)
    }

    private func series(
        _ pattern: String, _ status: Int, _ outcome: String, service: String = "github",
        method: String = "GET"
    ) -> String {
        "resthost_gateway_requests_total{service=\"\(service)\",pattern=\"\(pattern)\",method=\"\(method)\","
            + "status=\"\(status)\",outcome=\"\(outcome)\"}"
    }

    @Test func `65.1 Counting begins when somebody asks`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { _, site in
            _ = try site.get("/github/a")
            #expect(try scrape(site)[series("", 200, "hit")] == nil)
            for _ in 0..<3 { _ = try site.get("/github/a") }
            let text = try scrape(site)
            #expect(text[series("", 200, "hit")] == 3)
            #expect(
                text["resthost_gateway_request_seconds_count{service=\"github\",pattern=\"\",method=\"GET\"}"]
                    == 3)
            #expect(text["resthost_gateway_body_bytes_total{service=\"github\",pattern=\"\"}"] == 9)
            #expect(text["resthost_gateway_connections"] != nil)
        }
    }

    @Test func `65.2 Requests are counted by service, pattern, method, status and outcome`() async throws {
        try await World.run(
            {
                $0.threads = 1
                $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST"])]
            }, automatic: Self.reply
        ) { world, site in
            try await world.configureAsScript("/users/*")
            _ = try scrape(site)
            for path in ["users/a", "users/a", "users/b", "c", "bad"] { _ = try site.get("/github/\(path)") }
            _ = try site.get("/github/users/a", method: "HEAD")
            _ = try site.get("/github/users/a", method: "POST", fields: ["Content-Length: 0"])
            _ = try site.get("/github/users/a", method: "PUT", fields: ["Content-Length: 0"])
            _ = try site.get("/nothing/a")
            let text = try scrape(site)
            #expect(text[series("/users/*", 200, "fetched")] == 2)
            #expect(text[series("/users/*", 200, "hit")] == 1)
            #expect(text[series("/users/*", 200, "hit", method: "HEAD")] == 1)
            #expect(text[series("/users/*", 200, "answered", method: "POST")] == 1)
            #expect(text[series("", 200, "fetched")] == 1)
            #expect(text[series("", 500, "failed")] == 1)
            #expect(text[series("", 404, "refused", service: "")] == 1)
            #expect(text[series("/-/metrics", 200, "answered", service: "-")] == nil)
        }
    }

    @Test func `65.2 A request that the gateway's time limit ends has its pattern, and so has a route's`()
        async throws
    {
        try await World.run({
            $0.threads = 1
            $0.limits.requestTimeout = 10
            $0.expose = ["github": ExposeRule(methods: ["GET", "POST"])]
            $0.routes = [
                GatewayRoute(method: "GET", template: "/endless", expirationSeconds: nil) { _, _ in }
            ]
        }) { world, site in
            try await world.configureAsScript("/users/*")
            try await world.configureAsScript("/files/*")
            try await world.configure("/files/*") { $0.stream = .body }
            _ = try scrape(site)
            let clients = [
                try site.asking("/github/users/a"), try site.asking("/endless"),
                try site.asking("/github/files/a"), try site.connect(),
            ]
            try clients[3].send(
                "POST /github/users/b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            await world.transport.waitForRequests(3)
            // The route's labels are known before this answer.
            _ = try site.get("/-/services")
            await site.gateway.sweep(times: 13)
            for client in clients { #expect(try client.answer().status == 504) }
            let text = try scrape(site)
            #expect(text[series("/users/*", 504, "failed")] == 1)
            #expect(text[series("/users/*", 504, "failed", method: "POST")] == 1)
            #expect(text[series("/endless", 504, "failed", service: "-")] == 1)
            #expect(text[series("/files/*", 504, "failed")] == 1)
        }
    }

    @Test func `65.2 A request keeps its pattern while its path is forgotten`() async throws {
        try await World.run({
            $0.threads = 1
            $0.expose = ["github": ExposeRule(methods: ["GET", "POST"])]
        }) { world, site in
            try await world.configureAsScript("/users/*")
            _ = try scrape(site)
            for (status, method) in [(200, "GET"), (500, "GET"), (200, "POST")] {
                let client = try site.connect()
                // Taken before the request is sent, because it may arrive at once.
                let known = await world.transport.requests.count
                try client.send(
                    "\(method) /github/users/\(status)\(method) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                )
                await world.transport.waitForRequests(known + 1)
                await site.gateway.forgetPaths(world)
                await world.reply("[1]", status: status)
                #expect(try client.answer().status == status)
            }
            let text = try scrape(site)
            #expect(text[series("/users/*", 200, "fetched")] == 1)
            #expect(text[series("/users/*", 500, "failed")] == 1)
            #expect(text[series("/users/*", 200, "answered", method: "POST")] == 1)
            #expect(text[series("", 200, "fetched")] == nil)
        }
    }

    @Test func `65.2 Data that memory had before a reload isn't counted for a cache`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: Self.reply) { world, site in
            _ = try scrape(site)
            _ = try site.get("/github/a")
            world.clock.advance(by: 3)
            // The blocks change, so the snapshot is withdrawn while the data stays.
            try await world.configureAsScript("/*")
            let first = try site.get("/github/a")
            #expect(first["Cache-Status"] == "resthost; hit; ttl=27")
            #expect(try scrape(site)[series("/*", 200, "hit")] == 1)
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `65.3 There is a limit of series, and the rest is counted together`() {
        let registry = GatewayMetrics()
        let numbers = (0..<600).map { registry.labels("s", "/\($0)") }
        #expect(Set(numbers).count == GatewayMetrics.mostLabels - 1)
        #expect(numbers.last == GatewayMetrics.otherLabels)
        #expect(registry.labels("s", "/0") == numbers[0])
        var metrics = LabeledMetrics(.upstreamMessages, ["service"])
        for number in 0..<700 { metrics.add(["\(number)"]) }
        metrics.add(["3"])
        #expect(metrics.family.samples.count == LabeledMetrics.mostSeries)
        #expect(metrics.family.samples.first { $0["service"] == "3" }?.value == .number(2))
        #expect(metrics.family.samples.first { $0["service"] == "other" }?.value == .number(201))
    }

    @EngineActor
    @Test func `65.3 The same holds for kinds of requests, over all threads`() throws {
        let registry = GatewayMetrics()
        #expect(registry.makeLoop() == nil)
        registry.begin(nil)
        var loops = [try #require(registry.makeLoop()), try #require(registry.makeLoop())]
        for number in 0..<3000 {
            let key = RequestSeries.Key(
                labels: number % 450, method: UInt8(number % 9), status: Int16(200 + number % 350), outcome: 5
            )
            _ = registry.labels("s", "/\(number % 450)")
            loops[number % 2].count(key, seconds: 0.001, bytes: 1)
        }
        func total() throws -> (series: Int, sum: Double) {
            let text = try PrometheusText(MetricText.write(registry.families))
            let counts = text.values.filter { $0.key.hasPrefix("resthost_gateway_requests_total{") }
            #expect(counts.keys.contains { $0.contains("status=\"other\",outcome=\"other\"") })
            return (counts.count, counts.values.reduce(0, +))
        }
        #expect(try total() == (GatewayMetrics.mostSeries, 3000))
        loops.removeFirst()
        #expect(try total() == (GatewayMetrics.mostSeries, 3000))
    }

    @Test func `65.4 The engine's work is counted from its events`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            _ = try scrape(site)
            for path in ["a", "b", "bad"] { _ = try site.get("/github/\(path)") }
            let text = try scrape(site)
            let message =
                "resthost_upstream_messages_total{service=\"github\",method=\"GET\",reason=\"first\","
            #expect(text[message + "outcome=\"2xx\"}"] == 2)
            #expect(text[message + "outcome=\"5xx\"}"] == 1)
            let request = "resthost_upstream_requests_total{service=\"github\",method=\"GET\","
            #expect(text[request + "outcome=\"2xx\"}"] == 2)
            #expect(text[request + "outcome=\"http_5xx\"}"] == 1)
            #expect(text["resthost_transform_seconds_count{service=\"github\"}"] == 2)
            #expect(text["resthost_reloads_total{outcome=\"failed\"}"] == 0)
            #expect(text["resthost_resources{service=\"github\"}"] == 3)
            #expect(text["resthost_open_requests"] == 0)
        }
    }

    @Test func `65.5 A client sees no metrics of services that it can't reach`() async throws {
        try await World.run(
            {
                $0.tokens = [
                    GatewayToken(name: "all", secret: .text("all"), isOperator: true),
                    GatewayToken(
                        name: "some", secret: .text("some"), expose: ["other": ExposeRule()],
                        isOperator: true),
                ]
            }, automatic: Self.reply
        ) { world, site in
            await world.add("other", "https://other.example")
            func get(_ target: String, _ token: String) throws -> Answer {
                try site.get(target, fields: ["Authorization: Bearer \(token)"])
            }
            _ = try get("/-/metrics", "all")
            _ = try get("/github/a", "all")
            _ = try get("/other/a", "all")
            #expect(try get("/-/metrics", "all").body.contains("service=\"github\""))
            let some = try get("/-/metrics", "some").body
            #expect(some.contains("service=\"other\""))
            #expect(!some.contains("github"))
            #expect(try site.get("/-/metrics").status == 401)
        }
    }

    @Test func `65.6 The text is Prometheus' own`() throws {
        var histogram = MetricHistogram()
        for seconds in [0.0001, 0.0005, 0.3, 100] { histogram.add(seconds) }
        let text = MetricText.write([
            MetricFamily(.jobs, []),
            MetricFamily(
                .resources, [.init([.init("service", "a\"b\\c\nd")], .number(1.5))]),
            MetricFamily(.transformSeconds, [.init([], .histogram(histogram))]),
        ])
        let read = try PrometheusText(text)
        #expect(read["resthost_resources{service=\"a\\\"b\\\\c\\nd\"}"] == 1.5)
        #expect(read["resthost_transform_seconds_bucket{le=\"0.0005\"}"] == 2)
        #expect(read["resthost_transform_seconds_bucket{le=\"30\"}"] == 3)
        #expect(read["resthost_transform_seconds_bucket{le=\"+Inf\"}"] == 4)
        #expect(read["resthost_transform_seconds_count"] == 4)
        #expect(read.types["resthost_jobs"] == nil)
    }

    /// The pages for operators list exactly these names, with their kinds.
    @Test func `65.7 The names are those of the documents`() throws {
        let repository = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
        let folder = repository + "/docs/operating"
        let pages = try #require(FolderNames.list(folder)).filter { $0.hasSuffix(".md") }
        let text = try pages.map {
            String(decoding: try WholeFile.read("\(folder)/\($0)", limit: 1 << 20), as: UTF8.self)
        }.joined(separator: "\n")
        for name in MetricName.allCases {
            #expect(text.contains("| `\(name.rawValue)` | \(name.kind.rawValue) |"), "\(name.rawValue)")
            #expect(!name.help.contains("\n"))
        }
        let rows = text.split(separator: "\n").filter {
            $0.hasPrefix("| `resthost_") || $0.hasPrefix("| `process_")
        }
        #expect(rows.count == MetricName.allCases.count)
    }

    @Test func `65.8 Phases of a message follow each other`() {
        var timings = TransferTimings()
        (timings.queueSeconds, timings.nameLookupSeconds, timings.connectSeconds) = (0.1, 0.2, 0.3)
        (timings.tlsSeconds, timings.firstByteSeconds, timings.totalSeconds) = (0.5, 0.9, 1)
        #expect(MessagePhases.of(timings).map(\.0) == ["queue", "dns", "connect", "tls", "wait", "transfer"])
        #expect(abs(MessagePhases.of(timings).reduce(0) { $0 + $1.1 } - 1) < 1e-9)
        timings.isConnectionReused = true
        #expect(MessagePhases.of(timings).map(\.0) == ["queue", "wait", "transfer"])
    }
}

extension Gateway {
    /// Asks for so many other paths that earlier ones are forgotten.
    @EngineActor
    fileprivate func forgetPaths(_ world: World) {
        let other = world.fill(["other"])
        let known = engine.rules.currentAccess.accessPolicy.known
        for number in 0..<5000 {
            known.remember(other[0], at: ResourcePath(service: "github", path: "\(number)", query: nil))
        }
    }
}
