import TestSupport
import Testing

@testable import RestEngine

/// Partitions: resources of one URL that share nothing (rules 77).
@Suite(.leakChecked) @EngineActor
struct PartitionTests {
    let fixture = EngineFixture()
    private var service: Service { fixture.service }

    private func resource(_ path: String, _ partition: String?) -> Resource {
        fixture.watch(service.resource(path, partition: partition))
    }

    private func stub(
        _ path: String, _ reply: @escaping @EngineActor (TransportRequest) -> StubReply
    ) throws {
        _ = try fixture.transport.stub(method: "GET", urlGlob: path, base: service.baseURL, reply: reply)
    }

    @Test func `79.1 a header that a call leaves out can't pass for one that it sets`() throws {
        var without = Headers()
        for name in ["accept", "x-a"] { without.omit(name) }
        let omitting = try #require(ResourceAdditions(without, []))
        let setting = try #require(ResourceAdditions(["accept": "x-a"], []))
        #expect(omitting.partition != setting.partition)
        #expect(ResourceAdditions(["Accept": "x-a"], [])?.partition == setting.partition)
    }

    /// The answer is the number of the request.
    private func stubNumbers(_ path: String = "a") throws {
        var number = 0
        try stub(path) { _ in
            number += 1
            return .text(200, "\(number)")
        }
    }

    @Test func `77.1 a resource is its URL and its partition`() throws {
        let (all, ada, bob) = (resource("a", nil), resource("a", "ada"), resource("a", "bob"))
        #expect(all !== ada && ada !== bob)
        #expect(ada === service.resource("a", partition: "ada") && all === service.resource("a"))
        #expect([all, ada, bob].map(\.urlString) == Array(repeating: "https://api.test/v1/a", count: 3))
        #expect([all, ada, bob].map(\.partition) == [nil, "ada", "bob"])
        #expect(
            [
                ada.child("b"), ada.relative("c"), ada.withParam("d", "e"), ada.optionalRelative("f")!,
                ada.withParams([("g", ["h"])]),
            ].allSatisfy { $0.partition == "ada" })
    }

    @Test func `77.2 each has its own state, loads and events`() async throws {
        try stubNumbers()
        let resources = [nil, "ada", "bob"].map { resource("a", $0) }
        for resource in resources { resource.loadIfNeeded() }
        #expect(resources.allSatisfy { $0.loadRequests.count == 1 })
        fixture.settle()
        #expect(resources.map { $0.latestData?.content.text } == ["1", "2", "3"])
        resources[1].wipe()
        #expect(resources.map { $0.latestData?.content.text } == ["1", nil, "3"])
    }

    @Test func `77.4 a cache that does not separate partitions is not used for them`() throws {
        let cache = fixture.watch(PlainCache())
        try fixture.configure { $0.configuration.pipeline[.parsing].cache = cache }
        try stubNumbers()
        for partition in [nil, "ada"] {
            resource("a", partition).load()
            fixture.settle()
        }
        #expect(cache.writes == 1)
    }

    @Test func `77.4 cookies of a partition are its own`() throws {
        service.cookies = CookieJar()
        var seen: [String?] = []
        try stub("a") { request in
            seen.append(request.headers["Cookie"])
            return .response(200, headers: Headers([("Set-Cookie", "n=\(seen.count)")]))
        }
        for partition in [nil, "ada", "bob", nil, "ada", "bob"] {
            resource("a", partition).load()
            fixture.settle()
        }
        #expect(seen == [nil, nil, nil, "n=1", "n=2", "n=3"])
    }

    @Test func `77.7 a wipe of a partition takes its entries in caches, loaded or not`() throws {
        let cache = fixture.watch(MemoryCache())
        try fixture.configure { $0.configuration.pipeline[.parsing].cache = cache }
        try fixture.stub("GET", "*", .text(200, "x"))
        for partition in [nil, "ada", "bob"] {
            for path in ["a", "b"] {
                service.resource(path, partition: partition).load()
                fixture.settle()
            }
        }
        service.flushUnusedResources()
        #expect(cache.count == 6)
        let kept = resource("a", "bob")
        kept.load()
        fixture.settle()
        service.wipeResources(inPartition: "ada")
        fixture.settle()
        #expect(cache.count == 4 && kept.latestData != nil)
        service.wipeResources(inPartition: "bob") { $0.path.hasSuffix("/a") }
        fixture.settle()
        #expect(cache.count == 3 && kept.latestData == nil)
        service.wipeResources(inPartition: nil) { $0.path.hasSuffix("/b") }
        fixture.settle()
        #expect(cache.count == 1)
    }

    @Test func `77.9 a limit may be that of a partition`() throws {
        try fixture.configure {
            $0.configuration.limits = RequestLimits(inFlight: 1, scope: .partition)
        }
        let stub = try fixture.stub("GET", "*", isHeld: true, .text(200, "x"))
        for partition in ["ada", "bob"] {
            for path in ["a", "b"] { service.resource(path, partition: partition).load() }
        }
        fixture.settle()
        #expect(fixture.transport.requests.count == 2)
        let facts = fixture.engine.attemptFacts.limits
        #expect(facts.map(\.name) == ["service api, partitions"])
        #expect(facts.first?.inFlight == 2 && facts.first?.waiting == 2)
        for _ in 0..<4 {
            stub.go()
            fixture.settle()
        }
        #expect(fixture.transport.requests.count == 4)
    }

    @Test func `77.9 a refresh is that of a partition`() throws {
        let gate = RefreshGate()
        var refreshed: [String] = []
        try fixture.configure {
            $0.configuration.decorators.append(
                gate.decorator(
                    when: { $0.httpStatusCode == 401 },
                    refreshOf: { partition in
                        { done in
                            refreshed.append(partition ?? "-")
                            done(.renewed)
                        }
                    }))
        }
        var refused: Set<String> = []
        try stub("*") { request in
            refused.insert(request.url).inserted ? .response(401) : .text(200, "x")
        }
        for (path, partition) in [("a", nil), ("b", "ada"), ("c", "bob")] {
            service.resource(path, partition: partition).load()
        }
        fixture.settle()
        #expect(refreshed == ["-", "ada", "bob"])
    }

    @Test func `40.1 77.2 a repeat is made for its partition`() throws {
        try fixture.configure {
            $0.configuration.retry = RetryPolicy()
            $0.configuration.mutators.append { draft in
                draft.headers.set("X-Tenant", draft.partition ?? "-")
            }
        }
        var seen: Set<String> = []
        try stub("a") { request in
            let tenant = request.headers["X-Tenant"] ?? ""
            return seen.insert(tenant).inserted ? .response(503) : .text(200, tenant)
        }
        let resources = [nil, "ada", "bob"].map { resource("a", $0) }
        let loads = resources.map { $0.load() }
        fixture.settle()
        fixture.advance(60)
        #expect(resources.map { $0.latestData?.content.text } == ["-", "ada", "bob"])
        #expect(loads.allSatisfy { $0.attempts.count == 2 })
    }

    @Test func `43.1 77.9 a breaker is that of an origin, for all partitions`() throws {
        try fixture.configure { $0.configuration.breaker = BreakerPolicy() }
        try stub("*") { _ in .response(500) }
        for number in 0..<20 {
            service.resource("\(number)", partition: number % 2 == 0 ? "ada" : nil).load()
            fixture.settle()
        }
        let load = resource("a", "bob").load()
        fixture.settle()
        #expect(load.info?.response.error?.code == "circuit_open" && load.attempts.isEmpty)
        #expect(fixture.transport.requests.count == 20)
        #expect(fixture.engine.attemptFacts.breakers.map(\.origin) == ["https://api.test"])
    }

    @Test func `44.4 77.4 offline a partition has its own data alone`() throws {
        let cache = fixture.watch(MemoryCache())
        try fixture.configure { $0.configuration.pipeline[.parsing].cache = cache }
        try stubNumbers()
        for partition in [nil, "ada"] {
            service.resource("a", partition: partition).load()
            fixture.settle()
        }
        service.flushUnusedResources()
        fixture.engine.isOffline = true
        fixture.advance(1000)
        let answers = [nil, "ada", "bob"].map { partition in
            var answer: String?
            resource("a", partition).readServedAnswer { result, _ in
                switch result {
                case .success(let served): answer = String(decoding: served.content.body, as: UTF8.self)
                case .failure(let error): answer = error.code
                }
            }
            fixture.settle()
            return answer
        }
        #expect(answers == ["1", "2", "offline"] && fixture.transport.requests.count == 2)
    }

    @Test(arguments: [
        ("", "not empty"), (String(repeating: "x", count: 257), "256 bytes"), ("a\u{0}", "control"),
    ])
    func `77.1 a name has a limit and no control characters`(name: String, why: String) {
        #expect(Partition.validationError(to: name)?.contains(why) == true)
        #expect(Partition.validationError(to: "ada lovelace/é") == nil)
    }
}

/// A cache that knows nothing of partitions.
@EngineActor
private final class PlainCache: EntityCache {
    nonisolated let description = "plain"
    private(set) var writes = 0

    nonisolated init() {}

    func key(for resource: Resource, stage: String) -> CacheKey? { CacheKey(resource.urlString) }
    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void) {
        completion(.success(nil))
    }
    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        writes += 1
        completion(nil)
    }
    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        completion(nil)
    }
    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        completion(nil)
    }
}
