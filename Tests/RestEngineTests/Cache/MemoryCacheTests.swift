import RestEngine
import TestSupport
import Testing

@EngineActor
@Suite("Memory cache", .leakChecked)
struct MemoryCacheTests {
    @Test("22.2: the memory cache passes the conformance kit")
    func conformance() async {
        let fixture = EngineFixture()
        #expect(await EntityCacheConformance.check(MemoryCache(), on: fixture.engine) == [])
    }
}
