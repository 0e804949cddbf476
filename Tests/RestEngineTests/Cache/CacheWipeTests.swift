import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheWipeTests {
    let fixture = EngineFixture()
    let events = Journal()

    private func cache(_ manners: [String: FakeCache.Manner] = [:]) throws -> FakeCache {
        let cache = FakeCache("cache", fixture).with("kept")
        cache.manners = manners
        try fixture.cache([("cleanup", cache)])
        try fixture.stub("GET", "a", .text(200, "net"))
        return cache
    }

    @Test func `21.5 D15 a wipe removes the entry, then looks again and finds nothing`() throws {
        let cache = try cache()
        fixture.noteEvents(in: events)
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        resource.wipe()
        #expect(resource.latestData == nil)
        fixture.settle()
        #expect(cache.calls.lines == ["cache read a", "cache remove a", "cache read a"])
        #expect(cache.entities.isEmpty && resource.latestData == nil)
        #expect(events.lines == ["a: new_data(cache)", "a: new_data(wipe)"])
    }

    @Test func `21.5 the look-up after a wipe may find what somebody else wrote`() throws {
        let cache = try cache()
        let resource = fixture.resource("a")
        resource.wipe()
        cache.with("of another process")
        fixture.settle()
        #expect(resource.latestData?.content.text == "of another process")
    }

    @Test func `D15 a slow removal still comes before the look-up`() throws {
        let cache = try cache(["remove": .after(2)])
        let resource = fixture.resource("a")
        resource.wipe()
        fixture.advance(1)
        #expect(cache.calls.lines == ["cache remove a"] && cache.text() == "kept")
        fixture.advance(1)
        #expect(cache.calls.lines == ["cache remove a", "cache read a"])
        #expect(resource.latestData == nil)
    }

    @Test(arguments: [FakeCache.Manner.failing, .never])
    func `D15 D18 what could not be removed is not read back`(manner: FakeCache.Manner) throws {
        let cache = try cache(["remove": manner])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        resource.wipe()
        fixture.advance(5)
        fixture.advance(5)
        #expect(resource.latestData == nil && cache.text() == "kept")
        #expect(cache.calls.lines == ["cache read a", "cache remove a"])
        cache.manners = [:]
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net")
    }

    @Test func `D18 a write that succeeds makes the cache of use again`() throws {
        let cache = try cache(["remove": .failing])
        let resource = fixture.resource("a")
        resource.wipe()
        resource.load()
        fixture.settle()
        #expect(cache.text() == "net")
        cache.manners = [:]
        resource.wipe()
        fixture.settle()
        #expect(cache.calls.lines.last == "cache read a" && cache.entities.isEmpty)
    }

    @Test func `21.5 a hit that was on its way is not taken after a wipe`() throws {
        let cache = try cache(["read": .held])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        resource.wipe()
        fixture.settle()
        #expect(cache.calls.lines == ["cache read a"])
        cache.release()
        fixture.settle()
        #expect(resource.latestData == nil)
        cache.release()
        fixture.settle()
        #expect(cache.calls.lines == ["cache read a", "cache remove a", "cache read a"])
        #expect(resource.latestData == nil)
    }

    @Test func `21.7 D15 wiping a service removes the entries of its live resources`() throws {
        let cache = try cache().with("two", at: "b")
        let resources = [fixture.resource("a"), fixture.resource("b")]
        fixture.service.wipeResources { $0.urlString.hasSuffix("b") }
        fixture.settle()
        #expect(cache.entities.keys.sorted() == ["a"])
        fixture.service.wipeResources()
        fixture.settle()
        #expect(cache.entities.isEmpty && resources.allSatisfy { $0.latestData == nil })
    }

    @Test func `21.7 D15 and of those that are dropped because nobody uses them`() throws {
        let cache = try cache().with("two", at: "b")
        _ = fixture.resource("a").latestData
        _ = fixture.resource("b").latestData
        fixture.settle()
        #expect(fixture.service.wipeResources { $0.urlString.hasSuffix("b") } == 1)
        fixture.settle()
        #expect(cache.entities.keys.sorted() == ["a"])
    }

    @Test func `21.5 an observer that looks while it is notified of the wipe starts one look-up`() throws {
        let cache = try cache()
        let resource = fixture.resource("a")
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { [unowned resource] _, _ in _ = resource.latestData }
        resource.wipe()
        fixture.settle()
        #expect(cache.calls.lines == ["cache remove a", "cache read a"])
    }

    @Test func `22.11 writes and removals keep their order when the cache is slow`() throws {
        let cache = try cache(["write": .after(1), "remove": .after(1)])
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        resource.overrideLocalContent(.text("mine"))
        fixture.settle()
        #expect(cache.calls.lines == ["cache read a", "cache write a net"])
        fixture.advance(1)
        fixture.advance(1)
        #expect(cache.calls.lines == ["cache read a", "cache write a net", "cache remove a"])
        #expect(cache.entities.isEmpty)
    }

    @Test func `2.7 a resource stays until its caches are done`() throws {
        let cache = try cache(["write": .after(1)])
        fixture.resource("a").load()
        fixture.settle()
        fixture.service.flushUnusedResources()
        #expect(fixture.service.liveResources.count == 1)
        fixture.advance(1)
        #expect(cache.text() == "net")
        fixture.service.flushUnusedResources()
        #expect(fixture.service.liveResources.isEmpty)
    }

    @Test func `22.1 a new object of the resource has what the old one wrote`() throws {
        _ = try cache()
        fixture.service.resource("a").load()
        fixture.settle()
        fixture.service.flushUnusedResources()
        #expect(fixture.service.liveResources.isEmpty)
        let again = fixture.resource("a")
        #expect(again.latestData == nil)
        fixture.settle()
        #expect(again.latestData?.content.text == "net")
    }
}
