import TestSupport
import Testing

@testable import RestEngine

@Suite @EngineActor
struct SharedInvalidationTests {
    private let one = EngineFixture()
    private let two = EngineFixture()
    private let hub = FakeInvalidations.Hub()
    /// A wipe drops resources that nobody holds.
    private var held: [Resource] = []

    init() throws {
        for fixture in [one, two] {
            _ = FakeInvalidations(hub, fixture)
            try fixture.stub("GET", "*", .text(200, "net"))
            for path in ["a", "b"] {
                held.append(fixture.resource(path))
                fixture.resource(path).load()
                fixture.settle()
            }
        }
    }

    private func texts(_ fixture: EngineFixture) -> [String] {
        ["a", "b"].map { path in
            let resource = fixture.resource(path)
            guard let text = resource.latestData?.content.text else { return "none" }
            return text + (resource.isUpToDate ? "" : ", stale")
        }
    }

    @Test func `Data that is invalid here is stale there, and nothing comes back`() {
        one.resource("a").invalidate()
        #expect(texts(two) == ["net, stale", "net"])
        #expect(hub.published.lines == ["stale a"])
    }

    @Test func `An unsafe method makes loads in flight stale too`() {
        let load = two.resource("a").load()
        one.resource("a").outdate()
        #expect(load.isOutdated)
        two.settle()
        #expect(texts(two) == ["net, stale", "net"])
        #expect(hub.published.lines == ["outdated a"])
    }

    @Test func `Data that is wiped here is gone there`() {
        one.resource("a").wipe()
        #expect(texts(two) == ["none", "net"])
        #expect(hub.published.lines == ["wiped a"])
    }

    @Test func `Data that is set here is set there`() {
        one.resource("a").overrideLocalContent(.text("mine"))
        #expect(texts(two) == ["mine", "net"])
        #expect(hub.published.lines == ["overridden a"])
    }

    @Test func `Blocks that run again here run again there`() {
        let version = two.service.configurationVersion
        one.service.invalidateConfiguration()
        #expect(two.service.configurationVersion > version)
        #expect(hub.published.lines == ["blocks all"])
    }

    @Test func `A wipe of a partition is one change`() {
        let resource = two.service.resource("a", partition: "anna")
        resource.overrideLocalContent(.text("hers"))
        _ = hub.published.take()
        one.service.wipeResources(inPartition: "anna")
        #expect(resource.latestData == nil)
        #expect(hub.published.lines == ["wiped all of anna"])
    }

    @Test func `A wipe by pattern reaches what the pattern names`() throws {
        let glob = try GlobPattern("/a*", base: one.service.baseURL).forPaths()
        one.service.wipeResources(inPartition: nil, glob)
        #expect(texts(one) == ["none", "net"])
        #expect(texts(two) == ["none", "net"])
        #expect(hub.published.lines == ["wiped glob /a*"])
    }

    @Test func `A wipe with a function wipes all elsewhere`() {
        one.service.wipeResources { $0.urlString.hasSuffix("/b") }
        #expect(texts(one)[0] == "net" && texts(two) == ["none", "none"])
        #expect(hub.published.lines == ["wiped all"])
    }

    @Test func `Resources that only this process knows are not told of`() throws {
        let additions = ResourceAdditions(Headers([("X-Mine", "1")]), [])
        one.service.core.resource(at: one.resource("a").url, adding: additions).invalidate()
        #expect(hub.published.lines.isEmpty)
    }

    @Test func `A host that may have missed something has nothing fresh`() {
        let load = two.resource("a").load()
        two.service.distrust()
        #expect(load.isOutdated)
        #expect(texts(two) == ["net, stale", "net, stale"])
        #expect(hub.published.lines.isEmpty)
    }

    @Test func `It keeps entries of its own caches, as stale data`() throws {
        let cache = FakeCache("cache", two)
        try two.cache([("cleanup", cache)])
        cache.with("old", at: "c")
        two.advance(1)
        two.service.distrust()
        two.advance(1)
        cache.with("new", at: "d", timestamp: 1_000_002)
        for path in ["c", "d"] { _ = two.resource(path).latestData }
        two.settle()
        #expect(two.resource("c").latestData?.content.text == "old")
        #expect(!two.resource("c").isUpToDate)
        #expect(two.resource("d").isUpToDate)
    }

    @Test func `A cache of this host alone loses the entry of a resource that is not in memory`() throws {
        let cache = FakeCache("cache", two)
        try two.cache([("cleanup", cache)])
        two.engine.note(cache)
        cache.with("old", at: "c")
        one.resource("c").outdate()
        #expect(cache.text(at: "c") == nil)
    }
}
