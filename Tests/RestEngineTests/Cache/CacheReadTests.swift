import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheReadTests {
    let fixture = EngineFixture()
    let events = Journal()

    private func cache(_ name: String = "cache", _ text: String? = nil, age: Double = 0) -> FakeCache {
        let cache = FakeCache(name, fixture)
        if let text { cache.with(text, timestamp: fixture.clock.now - age) }
        return cache
    }

    @Test func `22.8 a resource is empty first, then has what the cache has`() throws {
        let cache = cache("cache", "kept")
        try fixture.cache([("cleanup", cache)])
        fixture.noteEvents(in: events)
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil)
        #expect(cache.calls.lines == [])
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
        #expect(events.lines == ["a: new_data(cache)"])
        #expect(!resource.isLoading && resource.latestError == nil)
    }

    @Test func `22.8 without an entry it stays empty, and nothing is reported`() throws {
        let cache = cache()
        try fixture.cache([("cleanup", cache)])
        fixture.noteEvents(in: events)
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil)
        fixture.settle()
        #expect(resource.latestData == nil)
        #expect(cache.calls.lines == ["cache read a"] && events.lines == [])
    }

    @Test(arguments: ["data", "timestamp", "up to date", "observers", "load", "load if needed", "read"])
    func `22.8 4.3 the first look starts the look-up, and it is done once`(look: String) throws {
        try fixture.stub("GET", "a", .response(404))
        let cache = cache()
        try fixture.cache([("model", cache)])
        let resource = fixture.resource("a")
        for _ in 0..<2 {
            switch look {
            case "data": _ = resource.latestData
            case "timestamp": _ = resource.timestamp
            case "up to date": _ = resource.isUpToDate
            case "observers": resource.startCacheLookup()
            case "load": resource.load()
            case "load if needed": resource.loadIfNeeded()
            default: resource.read { _ in }
            }
            fixture.settle()
        }
        #expect(cache.calls.lines == ["cache read a"])
    }

    @Test func `22.8 calls without a need for data start no look-up`() throws {
        try fixture.stub("POST", "a", .text(200, "x"))
        let cache = cache("cache", "kept")
        try fixture.cache([("model", cache)])
        let resource = fixture.resource("a")
        _ = (resource.latestError, resource.isLoading, resource.isRequesting, resource.urlString)
        resource.invalidate()
        resource.request("POST")
        fixture.settle()
        #expect(cache.calls.lines == [])
    }

    @Test func `3.13 navigating runs no block and looks into no cache`() throws {
        let cache = cache()
        var runs = 0
        try fixture.configure { draft in
            runs += 1
            draft.configuration.pipeline["model"].cache = cache
        }
        _ = fixture.resource("a").child("b").relative("c").withParam("q", ["1"])
        fixture.settle()
        #expect(runs == 0 && cache.calls.lines == [])
    }

    @Test func `22.8 without a cache a look does nothing`() throws {
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil && resource.timestamp == 0 && !resource.isUpToDate)
        #expect(!fixture.scheduler.hasWork)
        #expect(resource.caching == nil)
    }

    @Test func `22.8 the look-up is for GET`() throws {
        let (get, post) = (cache("get"), cache("post"))
        try fixture.cache([("model", get)], methods: ["GET"])
        try fixture.cache([("model", post)], methods: ["POST"])
        _ = fixture.resource("a").latestData
        fixture.settle()
        #expect(get.calls.lines == ["get read a"] && post.calls.lines == [])
    }

    @Test func `22.8 a cache that is configured later is looked into at the next look`() throws {
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil)
        try fixture.cache([("model", cache("cache", "kept"))])
        #expect(resource.latestData == nil)
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
    }

    @Test func `22.9 later stages come first, and their hit ends the search`() throws {
        let (early, late) = (cache("early", "model"), cache("late", "cleanup"))
        try fixture.cache([("model", early), ("cleanup", late)])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "cleanup")
        #expect(early.calls.lines == [])
    }

    @Test func `22.9 the order of stages decides, not that of their names`() throws {
        try fixture.configure { try $0.configuration.pipeline.setOrder(["cleanup", "mine", "model"]) }
        let calls = Journal()
        try fixture.cache(
            [("cleanup", "c"), ("mine", "i"), ("model", "m")].map {
                ($0.0, FakeCache($0.1, fixture, calls: calls))
            })
        _ = fixture.resource("a").latestData
        fixture.settle()
        #expect(calls.lines == ["m read a", "i read a", "c read a"])
    }

    @Test func `16.5 the cache of a stage that is left out is not asked`() throws {
        let cache = cache("cache", "kept")
        try fixture.cache([("model", cache)])
        try fixture.configure { try $0.configuration.pipeline.setOrder(["parsing"]) }
        let resource = fixture.resource("a")
        _ = resource.latestData
        resource.overrideLocalContent(.text("x"))
        fixture.settle()
        #expect(cache.calls.lines == [])
    }

    @Test func `22.9 D16 a hit passes the later stages and is written to their caches, not to its own`()
        throws
    {
        try fixture.appendStageNames()
        let (raw, model) = (cache("raw", "kept", age: 10), cache("model"))
        try fixture.cache([("raw_data", raw), ("model", model)])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "keptdecparmodcle")
        #expect(raw.calls.lines == ["raw read a"])
        #expect(model.calls.lines == ["model read a", "model write a keptdecparmod"])
        #expect(model.entities["a"]?.timestamp == 999_990)
    }

    @Test func `22.10 a hit that later stages refuse is skipped, without an error`() throws {
        try fixture.appendStageNames()
        let (decoding, parsing) = (cache("decoding", "old"), cache("parsing", "error on cleanup"))
        try fixture.cache([("decoding", decoding), ("parsing", parsing)])
        fixture.noteEvents(in: events)
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "oldparmodcle")
        #expect(events.lines == ["a: new_data(cache)"] && resource.latestError == nil)
        #expect(parsing.text() == "oldpar")
    }

    @Test func `22.10 a single bad hit is a miss, and the log says why`() throws {
        try fixture.appendStageNames()
        try fixture.cache([("decoding", cache("decoding", "error on model"))])
        fixture.engine.log.enabled = [.cache]
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData == nil && resource.latestError == nil)
        #expect(
            fixture.log.contains { $0.category == .cache && $0.text.contains("decoding was rejected") })
        #expect(!fixture.log.contains { $0.category == .warning })
    }

    @Test(arguments: [true, false])
    func `22.11 what arrives in the meantime wins`(isOverride: Bool) throws {
        try fixture.stub("GET", "a", .text(200, "new"))
        let cache = cache("cache", "kept")
        cache.manners["read"] = .after(1)
        try fixture.cache([("cleanup", cache)])
        fixture.noteEvents(in: events)
        let resource = fixture.resource("a")
        _ = resource.latestData
        if isOverride { resource.overrideLocalContent(.text("new")) } else { resource.load() }
        fixture.settle()
        fixture.advance(1)
        #expect(resource.latestData?.content.text == "new")
        #expect(!events.lines.contains("a: new_data(cache)"))
    }

    @Test func `4.4 a hit after a failed load keeps the error beside the data`() throws {
        try fixture.stub("GET", "a", .response(500))
        let cache = cache("cache", "kept")
        cache.manners["read"] = .after(1)
        try fixture.cache([("cleanup", cache)])
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        fixture.advance(1)
        #expect(resource.latestData?.content.text == "kept")
        #expect(resource.latestError?.httpStatusCode == 500)
        #expect(resource.isUpToDate)
    }

    @Test(arguments: [31, 29]) func `22.17 D16 a hit keeps its own time, which decides whether it is fresh`(
        _ age: Double
    ) throws {
        try fixture.cache([("cleanup", cache("cache", "kept", age: age))])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        let time = 1_000_000 - age
        #expect(resource.latestData?.timestamp == time && resource.timestamp == time)
        #expect(resource.isUpToDate == (age < 30))
    }

    @Test func `D16 transformers do not make a hit younger`() throws {
        try fixture.configure { draft in
            draft.configuration.pipeline["cleanup"].add(Renewing())
        }
        let (model, cleanup) = (cache("model", "kept", age: 12), cache("cleanup"))
        try fixture.cache([("model", model), ("cleanup", cleanup)])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.timestamp == 999_988)
        #expect(cleanup.entities["a"]?.timestamp == 999_988)
    }

    /// Makes a new entity with the current time.
    private struct Renewing: Transformer {
        let description = "renewing"
        func process(_ response: Response, _ context: PipelineContext) -> Response {
            response.entity.map { .success(Entity(content: $0.content, timestamp: context.now)) } ?? response
        }
    }

    @Test func `21.3 an invalidation outlives the hit that comes after it`() throws {
        try fixture.cache([("cleanup", cache("cache", "kept"))])
        let resource = fixture.resource("a")
        _ = resource.latestData
        resource.invalidate()
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
        #expect(!resource.isUpToDate)
    }

    @Test func `22.3 a cache without a key for the resource is not touched`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let cache = cache("cache", "kept")
        cache.paths = []
        try fixture.cache([("model", cache)])
        let resource = fixture.resource("a")
        #expect(resource.loadIfNeeded() != nil)
        fixture.settle()
        resource.overrideLocalContent(.text("y"))
        resource.wipe()
        fixture.settle()
        #expect(cache.calls.lines == [])
    }

    @Test func `22.2 a resource without URL has no caches`() throws {
        let cache = cache()
        try fixture.cache([("model", cache)])
        let resource = fixture.service.resource(absoluteURL: nil)
        _ = resource.latestData
        resource.wipe()
        fixture.settle()
        #expect(cache.calls.lines == [])
    }

    @Test func `a block that looks at the resource it configures neither fails nor loops`() throws {
        let (service, cache) = (fixture.service, cache("cache", "kept"))
        try fixture.configure { [unowned service] draft in
            for path in ["a", "b"] {
                let resource = service.resource(path)
                draft.configuration.headers.set(
                    "X-\(path)", "\(resource.latestData == nil) \(resource.isUpToDate)")
            }
            draft.configuration.pipeline["model"].cache = cache
        }
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
        #expect(resource.configuration(for: "GET").headers["X-a"] == "true false")
    }
}
