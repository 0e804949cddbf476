import RestEngine
import SQLiteCache
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor struct ConformanceTests {
    @Test func `22.2 it does what the engine asks of a cache`() async {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        var user = ""
        let cache = fixture.watch(SQLiteCache(engine: fixture.engine, path: folder.file) { user })
        #expect(
            await EntityCacheConformance.check(cache, on: fixture.engine) { user = $0 } == [])
        #expect(fixture.engine.offloadedWork == 0)
        #expect(fixture.log.isEmpty)
        await cache.closed()
    }
}
