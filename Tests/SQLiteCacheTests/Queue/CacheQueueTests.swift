import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

@Suite(.leakChecked) @EngineActor struct CacheQueueTests {
    private func cache(_ folder: CacheFolder, _ fixture: EngineFixture) -> SQLiteCache {
        fixture.watch(SQLiteCache(engine: fixture.engine, path: folder.file))
    }

    private func key(_ cache: SQLiteCache, _ fixture: EngineFixture, _ path: String = "/x") throws -> CacheKey
    {
        try #require(try cache.key(for: fixture.resource(path), stage: "model"))
    }

    @Test func `answers come once each, on the loop, in the order of a key's operations`() async throws {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        let cache = cache(folder, fixture)
        let key = try key(cache, fixture)
        let journal = Journal()
        func note(_ result: Result<Entity?, any Error>) {
            journal.note((try? result.get())?.content.text ?? "none")
        }
        cache.read(key, completion: note)
        for number in 1...100 {
            cache.write(.text("\(number)"), for: key) { _ in
                journal.note("wrote \(number), on the loop: \(EngineLoop.shared.isCurrent)")
            }
            cache.read(key, completion: note)
        }
        cache.remove(key) { _ in journal.note("removed") }
        #expect(journal.lines.isEmpty, "nothing is answered at once")
        #expect(try await cache.read(key).get() == nil)
        let expected =
            ["none"] + (1...100).flatMap { ["wrote \($0), on the loop: true", "\($0)"] } + ["removed"]
        #expect(journal.lines == expected)
        await cache.closed()
    }

    @Test func `work on the queue counts as the engine's until the answer was reported`() async throws {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        let cache = cache(folder, fixture)
        let key = try key(cache, fixture)
        #expect(fixture.engine.offloadedWork == 0)
        var counts: [Int] = []
        let _: Bool? = await waiting(for: "the work to end") { notified in
            fixture.engine.onOffloadedWorkDone = { notified(true) }
            cache.write(.text("x"), for: key) { _ in counts.append(fixture.engine.offloadedWork) }
            cache.close { counts.append(fixture.engine.offloadedWork) }
            counts.append(fixture.engine.offloadedWork)
        }
        #expect(counts == [2, 2, 1])
        fixture.engine.onOffloadedWorkDone = nil
    }

    @Test func `a cache that is dropped does what it was asked, and closes its file`() async throws {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        var cache: SQLiteCache? = cache(folder, fixture)
        let key = try key(try #require(cache), fixture)
        var written = 0
        let _: Bool? = await waiting(for: "the work to end") { notified in
            fixture.engine.onOffloadedWorkDone = { notified(true) }
            for number in 0..<50 { cache?.write(.text("\(number)"), for: key) { _ in written += 1 } }
            cache = nil
        }
        fixture.engine.onOffloadedWorkDone = nil
        #expect(written == 50)
        let next = self.cache(folder, fixture)
        #expect(try await next.read(key).get()?.content.text == "49")
        await next.closed()
    }

    @Test func `22.3 the user is asked for each key, and an error of theirs is reported`() async throws {
        struct NoUser: Error {}
        let folder = CacheFolder()
        let fixture = EngineFixture()
        var users: [Result<String?, any Error>] = [
            .success("ada"), .success("bob"), .failure(NoUser()), .success(nil),
        ]
        let cache = fixture.watch(
            SQLiteCache(engine: fixture.engine, path: folder.file) { try users.removeFirst().get() })
        let ada = try key(cache, fixture)
        let bob = try key(cache, fixture)
        #expect(throws: NoUser.self) { try key(cache, fixture) }
        #expect(
            try cache.key(for: fixture.resource("/x"), stage: "model") == nil, "for nobody nothing is kept")
        #expect(await cache.write(.text("ada's"), ada) == nil)
        #expect(try await cache.read(bob).get() == nil)
        #expect(try cache.key(for: fixture.service.resource(absoluteURL: nil), stage: "model") == nil)
        await cache.closed()
    }

    @Test func `D18 failures are reported, and a warning of damage goes to the log`() async throws {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        folder.fill(1)
        folder.overwrite(Array(folder.bytes()[..<100]))
        let cache = cache(folder, fixture)
        let key = try key(cache, fixture)
        #expect(try await cache.read(key).get() == nil)
        #expect(fixture.log.map(\.category) == [.warning])
        #expect(await cache.write(.text("x"), CacheKey("other")) is SQLiteCacheError)
        await cache.closed()
        let broken = fixture.watch(SQLiteCache(engine: fixture.engine, path: folder.path))
        let error = await broken.write(.text("x"), key) as? SQLiteCacheError
        #expect(error?.code == .unavailable)
        #expect(await broken.remove(key) != nil)
        await #expect(throws: SQLiteCacheError.self) { try await broken.read(key).get() }
        await broken.closed()
    }

    @Test func `D18 more than can wait is refused, and the key is emptied`() async throws {
        let folder = CacheFolder()
        let fixture = EngineFixture()
        let cache = cache(folder, fixture)
        let key = try key(cache, fixture)
        #expect(await cache.write(.text("old"), key) == nil)
        let heavy = Entity(
            content: .bytes([UInt8](repeating: 7, count: CacheQueue.maxWaitingWeight / 2 + 1)), timestamp: 0)
        let other = try self.key(cache, fixture, "/y")
        var errors: [String] = []
        // A lock holds the first operation until the second one arrives.
        let holder = try Connection(folder.file, .readWrite)
        try holder.execute("BEGIN IMMEDIATE")
        cache.write(heavy, for: other) { errors.append("\($0, default: "-")") }
        cache.write(heavy, for: key) { errors.append("\($0, default: "-")") }
        try holder.execute("COMMIT")
        #expect(try await cache.read(key).get() == nil)
        #expect(errors == ["-", "\(cache.description) can't keep up: too much waits to be written"])
        #expect(try await cache.read(other).get() != nil)
        await cache.closed()
    }
}
