import TestSupport
import Testing

@testable import RestEngine

/// Writes to caches when a request becomes a load.
@Suite(.leakChecked) @EngineActor
struct CachePromotionTests {
    let fixture = EngineFixture()
    let calls = Journal()

    /// Caches at stages that append their names to the server's text. Each cache has the name of its stage.
    @discardableResult
    private func caches(_ stages: String..., reply: StubReply = .text(200, "x")) throws -> [FakeCache] {
        try fixture.stub("GET", "a", reply)
        try fixture.appendStageNames()
        let caches = stages.map { FakeCache($0, fixture, calls: calls) }
        try fixture.cache(Array(zip(stages.map { StageName($0) }, caches)))
        return caches
    }

    /// The calls of the caches, without reads.
    private var changes: [String] { calls.take().filter { !$0.contains(" read ") } }

    @Test func `D17 load(using:) of a GET of the resource writes, also when it became a load under way`()
        throws
    {
        try caches("model")
        let resource = fixture.resource("a")
        resource.load(using: resource.request("GET"))
        fixture.settle()
        #expect(changes == ["model write a xdecparmod"])
        try fixture.stub("GET", "a", .text(200, "y", delay: .seconds(1)))
        let request = resource.request("GET")
        fixture.settle()
        resource.load(using: request)
        fixture.advance(1)
        #expect(changes == ["model write a ydecparmod"])
    }

    @Test func `D17 load(using:) of another method or another resource writes nothing`() throws {
        try caches("model")
        try fixture.stub("POST", "a", .text(200, "posted"))
        try fixture.stub("GET", "b", .text(200, "foreign"))
        let resource = fixture.resource("a")
        resource.load(using: resource.request("POST"))
        fixture.settle()
        resource.load(using: fixture.resource("b").request("GET"))
        fixture.settle()
        #expect(resource.latestData?.content.text == "foreigndecparmod" + "cle")
        #expect(changes == [])
    }

    @Test func `D17 a finished GET that becomes a load brings the caches back to what it had`() throws {
        let caches = try caches("raw_data", "model")
        let resource = fixture.resource("a")
        let first = resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .text(200, "y"))
        resource.load()
        fixture.settle()
        resource.overrideLocalContent(.text("mine"))
        _ = changes
        resource.load(using: first)
        fixture.settle()
        #expect(changes == ["raw_data write a x", "model write a xdecparmod"])
        #expect(resource.latestData?.content.text == "xdecparmodcle")
        #expect(caches.map { $0.text() } == ["x", "xdecparmod"])
    }

    @Test func `D17 stages for which a finished request has no value are removed`() throws {
        try caches("model")
        let resource = fixture.resource("a")
        let request = resource.load()
        fixture.settle()
        let late = FakeCache("late", fixture, calls: calls).with("of an earlier run")
        try fixture.cache([("cleanup", late)])
        _ = changes
        resource.load(using: request)
        fixture.settle()
        #expect(changes == ["model write a xdecparmod", "late remove a"])
        #expect(late.entities.isEmpty)
    }

    @Test func `D36 data from a cache stays at its stage, later results at theirs, earlier ones go`()
        throws
    {
        let caches = try caches("raw_data", "parsing", "model", "cleanup")
        caches[1].with("kept", timestamp: fixture.clock.now - 5)
        let resource = fixture.resource("a")
        let request = try #require(resource.loadIfNeeded())
        fixture.settle()
        let hit = try #require(resource.latestData?.content.text)
        resource.load()
        fixture.settle()
        _ = changes
        resource.load(using: request)
        fixture.settle()
        #expect(resource.latestData?.content.text == hit)
        #expect(
            changes == [
                "raw_data remove a", "parsing write a kept", "model write a keptmod",
                "cleanup write a keptmodcle",
            ])
        #expect(caches[0].entities.isEmpty && caches[1].text() == "kept")
        #expect(caches[1].entities.values.first?.timestamp == caches[3].entities.values.first?.timestamp)
    }

    @Test func `D36 so it does when its data was there alone`() throws {
        let cache = try caches("cleanup")[0].with("kept")
        let resource = fixture.resource("a")
        let request = try #require(resource.loadIfNeeded())
        fixture.settle()
        resource.load()
        fixture.settle()
        #expect(changes == ["cleanup write a xdecparmodcle"])
        resource.load(using: request)
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
        #expect(changes == ["cleanup write a kept"] && cache.text() == "kept")
    }

    @Test func `D17 nor has a request from before the caches`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let request = resource.request("GET")
        fixture.settle()
        let cache = try caches("cleanup")[0].with("of an earlier run")
        resource.load(using: request)
        fixture.settle()
        #expect(changes == ["cleanup remove a"] && cache.entities.isEmpty)
    }
}
