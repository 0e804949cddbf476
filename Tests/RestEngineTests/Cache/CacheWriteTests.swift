import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheWriteTests {
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

    @Test func `22.6 a load writes what the stage made`() throws {
        let cache = try caches("cleanup")[0]
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == ["cleanup write a xdecparmodcle"])
        #expect(cache.entities["a"]?.timestamp == 1_000_000)
        #expect(cache.entities["a"]?.contentType == "text/plain; charset=utf-8")
    }

    @Test func `22.5 22.6 each stage's cache gets that stage's output, in the order of stages`() throws {
        try caches("cleanup", "parsing", "raw_data", "model")
        fixture.resource("a").load()
        fixture.settle()
        #expect(
            changes == [
                "raw_data write a x", "parsing write a xdecpar", "model write a xdecparmod",
                "cleanup write a xdecparmodcle",
            ])
    }

    @Test func `22.5 the last cache set for a stage is the one`() throws {
        try caches("model")
        let last = FakeCache("last", fixture, calls: calls)
        try fixture.cache([("model", last)])
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == ["last write a xdecparmod"])
    }

    @Test func `22.21 16.7 caches can be taken out of all stages`() throws {
        try caches("model", "cleanup")
        try fixture.configure { $0.configuration.pipeline.removeCaches() }
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(calls.lines == [] && resource.caching == nil)
        #expect(resource.latestData?.content.text == "xdecparmodcle")
    }

    @Test func `22.7 no failure is written`() throws {
        try caches("raw_data", "model", reply: .text(404, "x"))
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == [])
    }

    @Test func `22.7 stages before the failing one are written, that one and later ones are not`() throws {
        try caches("raw_data", "decoding", "parsing", "model", reply: .text(200, "error on parsing"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.latestError != nil)
        #expect(
            changes == ["raw_data write a error on parsing", "decoding write a error on parsingdec"])
    }

    @Test func `16.8 22.6 a failure that later stages turn into a success is written`() throws {
        struct Rescue: Transformer {
            let description = "rescue"
            func process(_ response: Response, _ context: PipelineContext) -> Response {
                .success(Entity(content: .text("none"), timestamp: context.now))
            }
        }
        try caches("raw_data", "cleanup", reply: .text(404, "x"))
        try fixture.configure { $0.configuration.pipeline["model"].add(Rescue()) }
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == ["cleanup write a nonecle"])
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE"])
    func `D17 a request writes nothing`(method: Method) throws {
        try caches("model")
        try fixture.stub(method, "a", .text(200, "x"))
        fixture.resource("a").request(method)
        fixture.settle()
        #expect(calls.lines == [])
    }

    @Test func `D17 a finished failure that becomes a load leaves the caches`() throws {
        let cache = try caches("model")[0]
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .text(500, "down"))
        let failed = resource.request("GET")
        fixture.settle()
        _ = changes
        resource.load(using: failed)
        fixture.settle()
        #expect(resource.latestError != nil && changes == [] && cache.text() == "xdecparmod")
    }

    @Test func `D17 a repeat of a load writes when it is made a load`() throws {
        try caches("model")
        let resource = fixture.resource("a")
        let load = resource.load()
        fixture.settle()
        _ = changes
        let repeated = load.repeated().start()
        fixture.settle()
        #expect(changes == [])
        resource.load(using: repeated)
        fixture.settle()
        #expect(changes == ["model write a xdecparmod"])
    }

    @Test func `D2 a load that lost to newer data writes nothing`() throws {
        let cache = try caches("model", reply: .text(200, "old", delay: .seconds(2)))[0]
        let resource = fixture.resource("a")
        resource.load()
        try fixture.stub("GET", "a", .text(200, "new", delay: .seconds(1)))
        resource.load()
        fixture.advance(1)
        #expect(changes == ["model write a newdecparmod"])
        fixture.advance(1)
        #expect(changes == [] && cache.text() == "newdecparmod")
    }

    @Test func `8.6 a load that is cancelled writes nothing`() throws {
        try caches("model")
        let resource = fixture.resource("a")
        let load = resource.load()
        load.cancel()
        fixture.settle()
        #expect(changes == [])
    }

    @Test func `a substitute response writes nothing`() throws {
        try caches("model")
        let resource = fixture.resource("a")
        let request = resource.request("GET")
        fixture.settle()
        var info = try #require(request.info)
        #expect(info.stageOutputs != nil)
        info.response = .success(Entity(content: .text("mine"), timestamp: 1))
        #expect(info.stageOutputs == nil)
    }

    @Test func `22.12 a 304 moves the time in every cache`() throws {
        let caches = try caches(
            "parsing", "model",
            reply: .response(
                200, headers: Headers([("ETag", "1"), ("Content-Type", "text/plain")]), body: [0x78]))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        _ = changes
        fixture.advance(50)
        try fixture.stub("GET", "a", .response(304))
        resource.load()
        fixture.settle()
        #expect(changes == ["parsing update_timestamp a 1000050", "model update_timestamp a 1000050"])
        #expect(caches.map { $0.entities["a"]?.timestamp } == [1_000_050, 1_000_050])
        #expect(resource.latestData?.timestamp == 1_000_050)
    }

    @Test func `22.12 19.9 a 304 without data touches no cache`() throws {
        try caches("model", reply: .response(304))
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == [])
    }

    @Test func `22.13 21.1 a local override removes the entries of the GET pipeline`() throws {
        let caches = try caches("parsing", "cleanup")
        for cache in caches { cache.with("should go") }
        let post = FakeCache("post", fixture, calls: calls)
        try fixture.cache([("model", post)], methods: ["POST"])
        let resource = fixture.resource("a")
        resource.overrideLocalData(Entity(content: .text("mine"), timestamp: 5))
        fixture.settle()
        #expect(caches.allSatisfy { $0.entities.isEmpty })
        resource.overrideLocalContent(.text("again"))
        fixture.settle()
        #expect(
            calls.lines == ["parsing remove a", "cleanup remove a", "parsing remove a", "cleanup remove a"])
        #expect(resource.latestData?.content.text == "again")
    }

    @Test func `52.6 a change of the server's empties the caches, no outdated answer is written`() throws {
        let cache = try caches("cleanup", reply: .text(200, "new"))[0].with("kept")
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        resource.outdate()
        stub.go()
        fixture.settle()
        #expect(changes == ["cleanup remove a"] && cache.entities.isEmpty)
        try fixture.stub("GET", "a", .text(200, "new"))
        resource.loadIfNeeded()
        fixture.settle()
        #expect(changes == ["cleanup write a newdecparmodcle"])
    }

    @Test func `52.6 a hit that was on its way when the server changed is not fresh`() throws {
        let cache = try caches("cleanup")[0].with("kept")
        cache.manners = ["read": .held]
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        resource.outdate()
        cache.release()
        fixture.settle()
        #expect(resource.text == "kept" && !resource.isUpToDate && cache.entities.isEmpty)
    }

    @Test func `16.12 14.20 the stages are those of the method that was sent`() throws {
        try fixture.appendStageNames()
        try fixture.stub("POST", "a", .text(200, "x"))
        try fixture.configure { $0.configuration.mutators.append { $0.method = "POST" } }
        let cache = FakeCache("model", fixture, calls: calls)
        try fixture.cache([("model", cache)])
        fixture.resource("a").load()
        fixture.settle()
        #expect(changes == ["model write a xdecparmod"])
    }
}
