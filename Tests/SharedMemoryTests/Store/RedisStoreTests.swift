import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

@Suite(.withRedis) @EngineActor struct RedisStoreTests {
    private func store(_ server: RedisServer, prefix: String = "test") throws -> RedisStore {
        RedisStore(
            engine: EngineFixture().engine, client: try RedisClient.patient(server.address),
            try #require(RedisKeys(prefix: prefix)))
    }

    private func outcome<Value: Sendable>(
        _ begin: (@escaping RedisStore.Completion<Value>) -> Void
    ) async -> Result<Value, RedisStore.Failure>? {
        await waiting(for: "the store") { done in begin { done($0) } }
    }

    private func value<Value: Sendable>(
        _ begin: (@escaping RedisStore.Completion<Value>) -> Void
    ) async -> Value? {
        try? await outcome(begin)?.get()
    }

    private func text(_ store: RedisStore, _ key: String) async -> String? {
        guard let tree = await value({ store.get(key, completion: $0) }) ?? nil else { return nil }
        return (try? tree.json()).map { String(decoding: $0, as: UTF8.self) }
    }

    private func json(_ number: Double) -> String? {
        (try? Tree(number).json()).map { String(decoding: $0, as: UTF8.self) }
    }

    private func increase(_ store: RedisStore, _ key: String, _ step: Tree) async -> String {
        switch await outcome({ store.increase(key, by: step, completion: $0) }) {
        case .success(let tree): (try? tree.json()).map { String(decoding: $0, as: UTF8.self) } ?? "?"
        case .failure(let failure): failure.description
        case nil: "nothing"
        }
    }

    @Test func `Values come back as they were`() async throws {
        let server = await RedisServer()
        let store = try store(server)
        let tree: Tree = ["x": [1, 2.5, true, .null], "y": "text"]
        #expect(await text(store, "a") == nil)
        #expect(await value { store.set(tree, for: "a", lifetime: nil, completion: $0) } != nil)
        #expect(await (value { store.get("a", completion: $0) } ?? nil) == tree)
        #expect(await value { store.set("b", for: "a:*", lifetime: 100, completion: $0) } != nil)
        #expect(await value { store.keys(beginningWith: "", completion: $0) } == ["a", "a:*"])
        #expect(await value { store.keys(beginningWith: "a:*", completion: $0) } == ["a:*"])
        #expect(await value { store.keys(beginningWith: "?", completion: $0) } == [String]())
        let other = try self.store(server, prefix: "other")
        #expect(await value { other.keys(beginningWith: "", completion: $0) } == [String]())
        #expect(await value { store.delete("a", completion: $0) } == true)
        #expect(await value { store.delete("a", completion: $0) } == false)
    }

    @Test func `Integers stay integers until they overflow`() async throws {
        let server = await RedisServer()
        let store = try store(server)
        #expect(await increase(store, "n", 1) == "1")
        #expect(await increase(store, "n", 9_007_199_254_740_993) == "9007199254740994")
        #expect(await increase(store, "n", 0.5) == json(9_007_199_254_740_994.0))
        #expect(await increase(store, "f", 1.5) == "1.5")
        #expect(await increase(store, "f", 0.5) == "2.0")
        #expect(await increase(store, "f", 1) == "3.0")
        #expect(await value { store.set(Tree(Int64.max), for: "m", lifetime: nil, completion: $0) } != nil)
        let sum = await increase(store, "m", 1)
        #expect(Double(sum) == 9_223_372_036_854_775_808, "\(sum)")
        #expect(await value { store.set("x", for: "t", lifetime: nil, completion: $0) } != nil)
        #expect(await increase(store, "t", 1) == "the value of 't' is no number")
    }

    @Test func `Of many steps at once each counts`() async throws {
        let server = await RedisServer()
        let stores = try (0..<4).map { _ in try store(server) }
        let ended: Int? = await waiting(for: "all steps") { done in
            var ended = 0
            for number in 0..<200 {
                stores[number % 4].increase("n", by: 1) { _ in
                    ended += 1
                    if ended == 200 { done(ended) }
                }
            }
        }
        #expect(ended == 200)
        #expect(await text(stores[0], "n") == "200")
    }

    @Test func `A value is replaced only by who knows it`() async throws {
        let server = await RedisServer()
        let store = try store(server)
        func replace(_ old: Tree?, _ new: Tree?) async -> Bool? {
            await value { store.compareAndSet("k", old, new, completion: $0) }
        }
        #expect(await replace(1, 2) == false)
        #expect(await replace(nil, ["a": 1, "b": 2]) == true)
        #expect(await replace(nil, 1) == false)
        #expect(await replace(["b": 2, "a": 1], 3) == true)
        #expect(await text(store, "k") == "3")
        #expect(await replace(3, nil) == true)
        #expect(await text(store, "k") == nil)
        // Of many that try, one succeeds.
        let winners: Int? = await waiting(for: "all attempts") { done in
            var (ended, winners) = (0, 0)
            for number in 0..<20 {
                store.compareAndSet("k", nil, Tree(number)) { result in
                    ended += 1
                    if case .success(true) = result { winners += 1 }
                    if ended == 20 { done(winners) }
                }
            }
        }
        #expect(winners == 1)
    }

    @Test func `A failure has a message`() async throws {
        let server = await RedisServer()
        let store = try store(server)
        server.kill()
        let outcome = await outcome { store.get("a", completion: $0) }
        guard case .failure(let failure) = outcome else {
            Issue.record("no failure")
            return
        }
        #expect(failure.description.hasPrefix("the shared memory: "))
    }
}
