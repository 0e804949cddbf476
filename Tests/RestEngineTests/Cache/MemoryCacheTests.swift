import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct MemoryCacheTests {
    let fixture = EngineFixture()

    private func write(_ cache: MemoryCache, _ path: String, bytes: Int, stage: String = "model") {
        write(cache, path, .bytes([UInt8](repeating: 1, count: bytes)), stage: stage)
    }

    private func write(_ cache: MemoryCache, _ path: String, _ content: Content, stage: String = "model") {
        guard let key = cache.key(for: fixture.service.resource(path), stage: stage) else { return }
        cache.write(Entity(content: content, timestamp: 1), for: key) { #expect($0 == nil) }
    }

    private func read(
        _ cache: MemoryCache, _ path: String, of service: Service? = nil, stage: String = "model"
    )
        -> Content?
    {
        let resource = (service ?? fixture.service).resource(path)
        guard let key = cache.key(for: resource, stage: stage) else { return nil }
        var found: Content?
        cache.read(key) { found = (try? $0.get())?.content }
        return found
    }

    @Test func `22.2 it passes the conformance kit`() async {
        let cache = MemoryCache()
        #expect(await EntityCacheConformance.check(fixture.watch(cache), on: fixture.engine) == [])
    }

    @Test func `its default is 16 MiB`() { #expect(MemoryCache().maxBytes == 16 << 20) }

    @Test func `what was not used for longest goes first`() {
        let cache = MemoryCache(maxBytes: 4000)
        for path in ["a", "b", "c"] { write(cache, path, bytes: 1000) }
        #expect(cache.count == 3 && (3600...4000).contains(cache.bytes))
        _ = read(cache, "a")
        write(cache, "d", bytes: 1000)
        #expect(["a", "b", "c", "d"].map { read(cache, $0) != nil } == [true, false, true, true])
        #expect(cache.bytes <= 4000)
    }

    @Test func `a new entity takes the place of the old one, and its bytes`() {
        let cache = MemoryCache(maxBytes: 10_000)
        for size in [5000, 1, 9000, 300] { write(cache, "a", bytes: size) }
        #expect(cache.count == 1 && (500..<600).contains(cache.bytes))
    }

    @Test func `what is larger than the cache is not kept, and what it replaces goes`() {
        let cache = MemoryCache(maxBytes: 1000)
        write(cache, "a", bytes: 10)
        write(cache, "b", bytes: 10)
        write(cache, "a", bytes: 1000)
        #expect(read(cache, "a") == nil && read(cache, "b") != nil)
    }

    @Test func `emptied, it counts nothing`() throws {
        let cache = MemoryCache()
        for path in ["a", "b"] {
            write(cache, path, bytes: 10)
            let key = try #require(cache.key(for: fixture.service.resource(path), stage: "model"))
            cache.updateTimestamp(7, for: key) { _ in }
            cache.remove(key) { _ in }
        }
        #expect(cache.bytes == 0 && cache.count == 0)
    }

    @Test func `services that share it do not mix`() {
        let other = Service(
            engine: fixture.engine, name: "other", baseURL: try? BaseURL("https://api.test/v1/"))
        let cache = MemoryCache()
        write(cache, "a", .text("mine"))
        #expect(read(cache, "a", of: other) == nil && read(cache, "a")?.text == "mine")
        other.flushUnusedResources()
    }

    @Test func `a part of a tree is kept without the rest of it`() {
        let cache = MemoryCache()
        let whole: Tree = ["part": [1, 2], "rest": Tree(String(repeating: "x", count: 10_000))]
        write(cache, "a", .json(whole["part"] ?? .null))
        guard case .json(let tree)? = read(cache, "a") else { return #expect(Bool(false), "no tree") }
        #expect(tree == [1, 2] && tree.storage.count == tree.byteCount && cache.bytes < 1000)
    }

    @Test func `22.5 one cache serves several stages`() throws {
        try fixture.appendStageNames()
        try fixture.stub("GET", "a", .text(200, "x"))
        let cache = MemoryCache()
        try fixture.cache([("raw_data", cache), ("model", cache)])
        fixture.service.resource("a").load()
        fixture.settle()
        #expect(read(cache, "a", stage: "raw_data")?.text == "x")
        #expect(read(cache, "a", stage: "model")?.text == "xdecparmod")
        fixture.service.flushUnusedResources()
        let again = fixture.resource("a")
        _ = again.latestData
        fixture.settle()
        #expect(again.latestData?.content.text == "xdecparmodcle")
    }

    @Test func `seeded: the list of recency does as a plain array would`() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var list = RecencyList<Int, Int>()
            var model: [(key: Int, value: Int)] = []
            for step in 0..<500 {
                let key = random.int(below: 12)
                let old = model.first { $0.key == key }?.value
                switch random.int(below: 4) {
                case 0:
                    list.insert(step, at: key)
                    model.removeAll { $0.key == key }
                    model.append((key, step))
                case 1:
                    #expect(list.use(key) == old)
                    model.removeAll { $0.key == key }
                    if let old { model.append((key, old)) }
                case 2:
                    #expect(list.remove(key) == old)
                    model.removeAll { $0.key == key }
                default:
                    guard let oldest = list.oldest else { continue }
                    #expect(list.remove(oldest) == model.first?.value)
                    model.removeFirst()
                }
                #expect(list.count == model.count && list.oldest == model.first?.key)
            }
        }
    }

    @Test func `limit L45: what caches keep counts as content, and goes before what resources have`() throws {
        let budget = fixture.engine.contentBudget
        budget.limit = 1 << 20
        do {
            let caches = [MemoryCache(maxBytes: 1 << 30), MemoryCache(maxBytes: 1 << 30)]
            for number in 0..<40 { write(caches[number % 2], "\(number)", bytes: 50_000) }
            #expect(caches.reduce(0) { $0 + $1.bytes } > 800_000)
            #expect(budget.heldBytes <= budget.limit)
            #expect(read(caches[1], "39") != nil && read(caches[0], "0") == nil)
            let resource = fixture.service.resource("mine")
            resource.overrideLocalContent(.bytes([UInt8](repeating: 1, count: 700_000)))
            #expect(resource.state.data != nil && budget.heldBytes <= budget.limit)
            #expect(caches.reduce(0) { $0 + $1.bytes } < 350_000)
            resource.wipe()
        }
        // The caches have ended.
        #expect(budget.heldBytes < 100_000)
    }
}
