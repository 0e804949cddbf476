public import RestEngine
import Testing

/// Checks the contract of every ``EntityCache`` with the engine.
///
/// A check returns sentences about errors; a test expects none.
///
/// The kit runs the engine's ticks while it waits, so an engine with a stopped clock is enough. `switchUser`
/// is for a cache that separates its users: it makes the cache believe in another user. `keepsLatestTime` is
/// for a cache that ignores earlier times, because others write to it too.
@EngineActor
public struct EntityCacheConformance {
    private let cache: any EntityCache
    private let engine: Engine
    private let service: Service
    private var calls: [CompletionCalls] = []
    private var violations: [String] = []
    private let keepsLatestTime: Bool
    /// The partition of the resources of the next operations.
    private var partition: String?

    public static func check(
        _ cache: any EntityCache, on engine: Engine, keepsLatestTime: Bool = false,
        switchUser: (@EngineActor (String) -> Void)? = nil
    ) async -> [String] {
        var kit = EntityCacheConformance(cache: cache, engine: engine, keepsLatestTime: keepsLatestTime)
        await kit.checkEntities()
        await kit.checkChanges()
        await kit.checkTimestamps()
        await kit.checkPlaces()
        if let switchUser { await kit.checkUsers(switchUser) }
        if cache.separatesPartitions { await kit.checkPartitions() }
        await kit.checkReentrance()
        await kit.checkCompletions()
        kit.service.flushUnusedResources()
        return kit.violations
    }

    private init(cache: any EntityCache, engine: Engine, keepsLatestTime: Bool) {
        (self.cache, self.engine, self.keepsLatestTime) = (cache, engine, keepsLatestTime)
        service = Service(
            engine: engine, name: "conformance", baseURL: try? BaseURL("https://cache.test/"),
            standardTransformers: [])
    }

    // MARK: Checks

    private mutating func checkEntities() async {
        expect(!cache.description.isEmpty, "a cache says what it is")
        expect(await read("/never") == "none", "a key that was never written has no entity")
        for (name, entity) in SampleEntities.all {
            expect(await write(entity, "/entity") == nil, "\(name) can be written")
            let found = await read("/entity")
            expect(
                found == SampleEntities.text(of: entity), "\(name) is read as it was written, not as \(found)"
            )
        }
        let native = SampleEntities.native
        let isRefused = await write(native, "/native") != nil
        let found = await read("/native")
        expect(
            found == SampleEntities.text(of: native) || (isRefused && found == "none"),
            "native content is kept as it is or refused, not read as \(found)")
        var random = SeededRandom(seed: 22)
        let bytes = (0..<4 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let large = Entity(content: .bytes(bytes), timestamp: 5)
        expect(await write(large, "/large") == nil, "4 MiB can be written")
        expect(await read("/large") == SampleEntities.text(of: large), "4 MiB are read as they were written")
        expect(await remove("/large") == nil, "4 MiB can be removed")
    }

    private mutating func checkChanges() async {
        let first = text("first", headers: ["X-Old": "1"], timestamp: 1)
        let second = Entity(content: .bytes([2]), timestamp: 2)
        _ = await write(first, "/change")
        expect(await write(second, "/change") == nil, "an entity can be replaced")
        expect(
            await read("/change") == SampleEntities.text(of: second),
            "a new entity replaces all of the old one")
        expect(await read("/change") == SampleEntities.text(of: second), "reading changes nothing")
        expect(await remove("/change") == nil, "an entity can be removed")
        expect(await read("/change") == "none", "a removed entity is gone")
        expect(await remove("/change") == nil, "removing what is not there is no failure")
        _ = await write(first, "/change")
        expect(
            await read("/change") == SampleEntities.text(of: first), "a removed entity can be written again")
    }

    private mutating func checkTimestamps() async {
        var entity = text("confirmed", headers: ["ETag": "\"1\"", "X-Kept": "yes"], timestamp: 1_000)
        _ = await write(entity, "/time")
        entity.timestamp = 2_000.125
        expect(await update(2_000.125, "/time") == nil, "a time can be set")
        expect(await read("/time") == SampleEntities.text(of: entity), "a new time changes the time alone")
        if !keepsLatestTime { entity.timestamp = 500 }
        _ = await update(500, "/time")
        expect(await read("/time") == SampleEntities.text(of: entity), "an earlier time is set, or ignored")
        expect(await update(3_000, "/absent") == nil, "setting the time of nothing is no failure")
        expect(await read("/absent") == "none", "setting a time makes no entity")
        _ = await remove("/time")
        _ = await update(4_000, "/time")
        expect(await read("/time") == "none", "setting a time does not bring back what was removed")
    }

    private mutating func checkPlaces() async {
        let places = [
            ("/place", "parsing"), ("/place", "model"), ("/place", "my stage's"), ("/place/", "parsing"),
            ("/Place", "parsing"), ("/place?q=1", "parsing"), ("/place%", "parsing"), ("/p_ace", "parsing"),
        ]
        for (number, place) in places.enumerated() {
            _ = await write(text("\(number)", timestamp: 1), place.0, stage: place.1)
        }
        for (number, place) in places.enumerated() {
            expect(
                await read(place.0, stage: place.1)
                    == SampleEntities.text(of: text("\(number)", timestamp: 1)),
                "\(place.0) at stage \(place.1) has a place of its own")
        }
        _ = await remove("/place", stage: "parsing")
        expect(await read("/place", stage: "parsing") == "none", "a place can be emptied")
        for place in places.dropFirst() {
            expect(
                await read(place.0, stage: place.1) != "none",
                "emptying a place leaves \(place.0) at \(place.1)")
        }
        expect(
            service.resource(absoluteURL: nil).url == nil
                && (try? key(service.resource(absoluteURL: nil), "model")) == nil,
            "a resource without URL has no key")
    }

    private mutating func checkUsers(_ switchUser: @EngineActor (String) -> Void) async {
        for user in ["ada", "bob", ""] {
            switchUser(user)
            expect(await read("/user") == "none", "user '\(user)' finds nothing of another user")
            _ = await write(text(user, timestamp: 1), "/user")
        }
        switchUser("ada")
        expect(
            await read("/user") == SampleEntities.text(of: text("ada", timestamp: 1)),
            "a user finds what was theirs")
        _ = await remove("/user")
        switchUser("bob")
        expect(
            await read("/user") == SampleEntities.text(of: text("bob", timestamp: 1)),
            "a user removes nothing of another")
    }

    private mutating func checkPartitions() async {
        let partitions: [String?] = [nil, "ada", "bob"]
        for name in partitions {
            partition = name
            expect(await read("/own") == "none", "partition \(name ?? "-") finds nothing of another")
            for path in ["/own", "/other"] { _ = await write(text(name ?? "all", timestamp: 1), path) }
        }
        let removal = CompletionCalls("removing all of a partition")
        calls.append(removal)
        let matches: @Sendable (String?, String) -> Bool = { $0 == "ada" && $1.hasSuffix("/own") }
        cache.removeAll(of: service.name, where: matches) { removal.note($0.map { "\($0)" } ?? "") }
        await wait(for: removal)
        for name in partitions {
            partition = name
            let kept = SampleEntities.text(of: text(name ?? "all", timestamp: 1))
            let (own, other) = (await read("/own"), await read("/other"))
            expect(own == (name == "ada" ? "none" : kept) && other == kept, "only what was to go has gone")
        }
        partition = nil
    }

    /// The engine begins the next operation inside the completion of the last one, as long as there is one.
    private mutating func checkReentrance() async {
        guard let key = try? key(service.resource("/chain"), "model") else {
            return expect(false, "/chain has a key")
        }
        let cache = cache
        let one = text("one", timestamp: 1)
        let two = text("two", timestamp: 2)
        var found: [String] = []
        func note(_ result: Result<Entity?, any Error>) { found.append(Self.text(of: result)) }
        let done = CompletionCalls("chained operations")
        calls.append(done)
        cache.write(one, for: key) { _ in
            cache.read(key) { result in
                note(result)
                cache.write(two, for: key) { _ in
                    cache.updateTimestamp(3, for: key) { _ in
                        cache.read(key) { result in
                            note(result)
                            cache.remove(key) { _ in
                                cache.read(key) { result in
                                    note(result)
                                    done.note()
                                }
                            }
                        }
                    }
                }
            }
        }
        await wait(for: done)
        var touched = two
        touched.timestamp = 3
        expect(
            found == [SampleEntities.text(of: one), SampleEntities.text(of: touched), "none"],
            "an operation sees what those before it did, not \(found)")
    }

    private mutating func checkCompletions() async {
        // A cache that calls a completion twice has some passes of the loop to do so.
        for _ in 0..<100 {
            engine.scheduler.runTick()
            await Task.yield()
        }
        for call in calls {
            expect(call.count == 1, "\(call.what) answers once, not \(call.count) times")
            expect(call.wasOnLoop, "\(call.what) answers on the engine loop")
        }
    }

    // MARK: Operations

    private func text(_ text: String, headers: KeyValuePairs<String, String> = [:], timestamp: Double)
        -> Entity
    {
        Entity(
            content: .text(text), headers: Headers(headers.map { ($0.key, $0.value) }), timestamp: timestamp)
    }

    private func key(_ resource: Resource, _ stage: String) throws -> CacheKey? {
        try cache.key(for: resource, stage: stage)
    }

    /// The entity at a place, as text; `none` if there is none.
    private mutating func read(_ path: String, stage: String = "model") async -> String {
        await answer("reading \(path)", path, stage, none: "no key") { cache, key, completion in
            cache.read(key) { completion(Self.text(of: $0)) }
        } ?? "no answer"
    }

    private static func text(of result: Result<Entity?, any Error>) -> String {
        switch result {
        case .success(let entity): entity.map(SampleEntities.text) ?? "none"
        case .failure(let error): "failure: \(error)"
        }
    }

    /// The failure; nil for success.
    private mutating func write(_ entity: Entity, _ path: String, stage: String = "model") async -> String? {
        await change("writing \(path)", path, stage) { $0.write(entity, for: $1, completion: $2) }
    }

    private mutating func remove(_ path: String, stage: String = "model") async -> String? {
        await change("removing \(path)", path, stage) { $0.remove($1, completion: $2) }
    }

    private mutating func update(_ time: Double, _ path: String) async -> String? {
        await change("setting the time of \(path)", path, "model") {
            $0.updateTimestamp(time, for: $1, completion: $2)
        }
    }

    private mutating func change(
        _ what: String, _ path: String, _ stage: String,
        _ start:
            @EngineActor (any EntityCache, CacheKey, @escaping @EngineActor ((any Error)?) -> Void) -> Void
    ) async -> String? {
        let failure = await answer(what, path, stage, none: "no key") { cache, key, completion in
            start(cache, key) { completion($0.map { "\($0)" } ?? "") }
        }
        return failure == "" ? nil : failure ?? "no answer"
    }

    private mutating func answer(
        _ what: String, _ path: String, _ stage: String, none: String,
        _ start: @EngineActor (any EntityCache, CacheKey, @escaping @EngineActor (String) -> Void) -> Void
    ) async -> String? {
        let found: CacheKey?
        do { found = try key(service.resource(path, partition: partition), stage) } catch {
            return "no key: \(error)"
        }
        guard let found else { return none }
        let call = CompletionCalls("\(what) at \(stage)")
        calls.append(call)
        start(cache, found) { call.note($0) }
        await wait(for: call)
        return call.answer
    }

    /// Runs ticks until the answer is there.
    private func wait(for call: CompletionCalls) async {
        await yielding(until: "\(call.what) is answered") {
            while call.count == 0, engine.scheduler.runTick() {}
            return call.count > 0
        }
    }

    private mutating func expect(_ isRight: Bool, _ sentence: String) {
        if !isRight { violations.append(sentence) }
    }
}
