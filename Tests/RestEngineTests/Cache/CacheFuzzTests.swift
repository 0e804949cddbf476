import TestSupport
import Testing

@testable import RestEngine

/// All operations of a resource, with slow caches and a slow server. At the end cache and resource must
/// agree.
@Suite(.leakChecked) @EngineActor
struct CacheFuzzTests {
    let fixture = EngineFixture()

    @EngineActor
    private final class Model {
        var random: SeededRandom
        var count = 0
        var source: ResourceEvent.Source?
        var requests: [Request] = []

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        var manner: FakeCache.Manner {
            random.int(below: 3) == 0 ? .after(Double(1 + random.int(below: 3))) : .atOnce
        }
    }

    @Test(arguments: 0..<60)
    func `22 D2 D15 D17 seeded: when all is done the caches have what the resource has, or nothing`(
        seed: UInt64
    ) throws {
        let model = Model(seed: seed)
        try fixture.transport.stub(method: "GET", urlGlob: "**") { request in
            model.count += 1
            let delay = Double(model.random.int(below: 3))
            if request.headers.contains("If-None-Match"), model.random.int(below: 2) == 0 {
                return .response(304, delay: Duration(inSeconds: delay))
            }
            if model.random.int(below: 4) == 0 {
                return .text(500, "down", delay: Duration(inSeconds: delay))
            }
            let headers = Headers([("ETag", "\(model.count)"), ("Content-Type", "text/plain")])
            return .response(
                200, headers: headers, body: Array("\(model.count)".utf8), delay: Duration(inSeconds: delay))
        }
        try fixture.appendStageNames()
        let caches = [FakeCache("raw_data", fixture), FakeCache("cleanup", fixture)]
        caches[0].with("kept")
        try fixture.cache([("raw_data", caches[0]), ("cleanup", caches[1])])
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { _, text in
            for source in [ResourceEvent.Source.network, .cache, .wipe, .localOverride]
            where text.hasSuffix(ResourceEvent.newData(source).name) { model.source = source }
        }
        let resource = fixture.resource("a")
        for _ in 0..<40 { step(model, resource, caches) }
        for cache in caches { cache.manners = [:] }
        for _ in 0..<20 { fixture.advance(1) }

        #expect(!resource.isLoading && fixture.engine.openRequests == 0 && !fixture.scheduler.hasWork)
        #expect(fixture.engine.cacheFailures == 0)
        let data = resource.latestData
        switch model.source {
        case .network? where caches.allSatisfy(\.entities.isEmpty):
            // A request whose data came from a cache, and that becomes a load, has exactly that data.
            #expect(data?.content.text == "keptdecparmodcle")
        case .network?, .cache?:
            #expect(caches[1].text() == data?.content.text)
            #expect(caches[1].entities["a"]?.timestamp == data?.timestamp)
            #expect(caches[0].text().map { $0 + "decparmodcle" } == data?.content.text)
        case .wipe?, .localOverride?: #expect(caches.allSatisfy { $0.entities.isEmpty })
        case nil: break
        }
        model.requests = []
    }

    private func step(_ model: Model, _ resource: Resource, _ caches: [FakeCache]) {
        for cache in caches {
            for operation in ["read", "write", "remove", "update_timestamp"] {
                cache.manners[operation] = model.manner
            }
        }
        switch model.random.int(below: 12) {
        case 0, 1: model.requests.append(resource.load())
        case 2: if let request = resource.loadIfNeeded() { model.requests.append(request) }
        case 3: model.requests.append(resource.request("GET"))
        case 4: model.requests.randomElement(using: &model.random).map { _ = resource.load(using: $0) }
        case 5: resource.loadRequests.randomElement(using: &model.random)?.cancel()
        case 6: resource.overrideLocalContent(.text("mine"))
        case 7: resource.wipe()
        case 8: resource.invalidate()
        case 9: fixture.runTick()
        default: fixture.advance(Double(model.random.int(below: 20)))
        }
    }
}
