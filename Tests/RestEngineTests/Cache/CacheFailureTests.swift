import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheFailureTests {
    let fixture = EngineFixture()

    private func cache(_ manners: [String: FakeCache.Manner], _ stage: StageName = .model) throws -> FakeCache
    {
        let cache = FakeCache("sick cache", fixture).with("kept")
        cache.manners = manners
        try fixture.cache([(stage, cache)])
        try fixture.stub(
            "GET", "a",
            .response(
                200, headers: Headers([("ETag", "1"), ("Content-Type", "text/plain")]),
                body: Array("net".utf8)))
        try fixture.stub(
            "GET", "a", when: StubCondition(headers: ["If-None-Match": .value("1")]), .response(304))
        return cache
    }

    private func log(_ category: EngineLog.Category) -> [String] {
        fixture.log.filter { $0.category == category && $0.text.contains("failed") }.map(\.text)
    }

    /// Uses caches in each way that a resource does, twice.
    private func use(_ resource: Resource) {
        for _ in 0..<2 {
            resource.loadIfNeeded()
            fixture.settle()
            for _ in 0..<3 {
                resource.load()
                fixture.settle()
            }
            resource.overrideLocalContent(.text("mine"))
            resource.wipe()
            fixture.settle()
        }
    }

    @Test(arguments: ["read", "write", "update_timestamp", "remove"])
    func `D18 a failing operation is counted, warned of once, and bypassed`(operation: String) throws {
        fixture.engine.log.enabled = [.cache]
        _ = try cache([operation: .failing])
        let resource = fixture.resource("a")
        use(resource)
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net" && resource.latestError == nil)
        #expect(fixture.engine.cacheFailures >= 2)
        #expect(log(.cache).count == fixture.engine.cacheFailures)
        #expect(
            log(.warning) == [
                "sick cache: \(operation) failed for https://api.test/v1/a: disk full; it goes on without the cache, "
                    + "and further such failures are in the log 'cache' alone"
            ])
    }

    @Test func `D18 a cache that throws from key is asked for nothing, and each kind is warned of`() throws {
        let cache = try cache(["read": .failing])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        cache.keyFails = true
        use(resource)
        #expect(cache.calls.lines == ["sick cache read a"])
        #expect(log(.warning).map { $0.contains("key failed") } == [false, true])
        #expect(log(.warning).last?.contains("no key today") == true)
    }

    @Test func `D18 the next cache is asked when one fails`() throws {
        let sick = try cache(["read": .failing], "cleanup")
        let sound = FakeCache("sound", fixture).with("sound")
        try fixture.cache([("model", sound)])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "sound")
        #expect(sick.calls.lines == ["sick cache read a", "sick cache write a sound"])
    }

    @Test func `D18 a second answer is ignored and counted`() throws {
        for operation in ["read", "write", "remove", "update_timestamp"] {
            let cache = try cache([operation: .twice])
            cache.with("kept", timestamp: 999_000)
            let resource = fixture.resource("a")
            resource.wipe()
            cache.with("kept", timestamp: 999_000)
            resource.loadIfNeeded()
            fixture.settle()
            resource.load()
            fixture.settle()
            #expect(resource.latestData?.content.text == "net", "\(operation)")
        }
        #expect(fixture.engine.cacheFailures == 4)
        #expect(log(.warning).count == 1 && log(.warning)[0].contains("completion failed"))
    }

    @Test(arguments: ["read", "write", "remove", "update_timestamp"])
    func `D18 a cache that never answers is given up after five seconds`(operation: String) throws {
        let cache = try cache([operation: .never])
        let resource = fixture.resource("a")
        use(resource)
        fixture.advance(5)
        use(resource)
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net")
        #expect(cache.calls.lines.filter { $0.contains(" \(operation) ") }.count == 1)
        #expect(
            log(.warning).first == "sick cache: \(operation) failed for https://api.test/v1/a: "
                + "no answer within 5 seconds; it goes on without the cache, and further such failures are in the log "
                + "'cache' alone")
        #expect(!fixture.scheduler.hasWork && !resource.isLoading)
    }

    @Test func `5.6 D18 a load waits five seconds for a cache, then goes to the network`() throws {
        let cache = try cache(["read": .held])
        let resource = fixture.resource("a")
        let request = try #require(resource.loadIfNeeded())
        fixture.settle()
        fixture.advance(4.9)
        #expect(fixture.transport.requests.isEmpty && request.state == .inProgress && resource.isLoading)
        fixture.advance(0.2)
        #expect(fixture.transport.requests.count == 1)
        #expect(request.info?.response.entity?.content.text == "net")
        cache.release()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net")
        #expect(!resource.isLoading)
    }

    @Test func `D18 a hit that comes after the wait is dropped, even with nothing else there`() throws {
        try fixture.stub("GET", "a", .response(500))
        let cache = FakeCache("slow", fixture).with("kept")
        cache.manners["read"] = .held
        try fixture.cache([("model", cache)])
        let resource = fixture.resource("a")
        resource.loadIfNeeded()
        fixture.settle()
        fixture.advance(6)
        cache.release()
        fixture.settle()
        #expect(resource.latestData == nil && resource.latestError?.httpStatusCode == 500)
    }

    @Test func `D18 the wait is for the whole look-up, not for each cache`() throws {
        _ = try cache(["read": .after(3)], "cleanup").entities = [:]
        let other = FakeCache("other", fixture).with("kept")
        other.manners["read"] = .after(3)
        try fixture.cache([("model", other)])
        let resource = fixture.resource("a")
        resource.loadIfNeeded()
        fixture.settle()
        fixture.advance(3)
        #expect(other.calls.lines.count == 1)
        fixture.advance(2)
        #expect(fixture.transport.requests.count == 1)
        fixture.advance(2)
        #expect(resource.latestData?.content.text == "net")
    }

    @Test func `D18 a cache that hangs does not stop the one that takes its place`() throws {
        _ = try cache(["read": .never, "write": .never])
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        fixture.advance(5)
        let new = FakeCache("new", fixture)
        try fixture.cache([("model", new)])
        resource.load()
        fixture.settle()
        resource.wipe()
        resource.load()
        fixture.settle()
        #expect(
            new.calls.lines == [
                "new update_timestamp a 1000005", "new remove a", "new read a", "new write a net",
            ])
    }

    @Test func `a resource at rest keeps nothing of what its caches were asked`() throws {
        _ = try cache(["read": .after(1), "write": .after(1)])
        let resource = fixture.resource("a")
        use(resource)
        for _ in 0..<10 { fixture.advance(1) }
        #expect(resource.caching?.lookup == nil && resource.caching?.isAtRest == true)
    }

    @Test func `D18 after a late answer the cache is asked again`() throws {
        let cache = try cache(["write": .held])
        let resource = fixture.resource("a")
        resource.load()
        fixture.advance(5)
        resource.overrideLocalContent(.text("mine"))
        fixture.settle()
        #expect(cache.calls.lines == ["sick cache read a", "sick cache write a net"])
        cache.release()
        cache.manners = [:]
        resource.overrideLocalContent(.text("again"))
        fixture.settle()
        #expect(cache.calls.lines.last == "sick cache remove a" && cache.entities.isEmpty)
    }
}
