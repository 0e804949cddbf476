import RestEngine

/// A shared memory that only this process has. It answers in a later tick, as a server does.
@EngineActor
final class LocalSharedMemory: SharedMemoryAccess {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let engine: Engine
    private let store = ScriptStore()

    init(_ engine: Engine) { self.engine = engine }

    private var now: Double { engine.scheduler.now }

    private func answer<Value>(
        _ completion: @escaping Completion<Value>, _ make: @escaping @EngineActor () throws -> Value
    ) {
        engine.scheduler.nextTick { completion(Result { try make() }) }
    }

    func coordinate(_ services: @escaping @EngineActor () -> [Service]) {}

    func makeCache(_ settings: RedisCacheSettings) -> any EntityCache { MemoryCache() }

    func get(_ key: String, completion: @escaping Completion<Tree?>) {
        answer(completion) { [self] in store.value(for: key, at: now) }
    }

    func set(_ value: Tree, for key: String, lifetime: Double?, completion: @escaping Completion<Void>) {
        answer(completion) { [self] in try store.set(value, for: key, lifetime: lifetime, at: now) }
    }

    func delete(_ key: String, completion: @escaping Completion<Bool>) {
        answer(completion) { [self] in store.delete(key, at: now) }
    }

    func increase(_ key: String, by step: Tree, completion: @escaping Completion<Tree>) {
        answer(completion) { [self] in
            do throws(ScriptStoreError) { return try store.increase(key, by: step, at: now) } catch {
                throw Failure(
                    description: error == .notANumber
                        ? "the value of '\(key)' is no number" : "the store is full")
            }
        }
    }

    func keys(beginningWith prefix: String, completion: @escaping Completion<[String]>) {
        answer(completion) { [self] in store.keys(prefix, at: now) }
    }

    func compareAndSet(_ key: String, _ old: Tree?, _ new: Tree?, completion: @escaping Completion<Bool>) {
        answer(completion) { [self] in
            guard store.value(for: key, at: now) == old else { return false }
            if let new { try store.set(new, for: key, at: now) } else { store.delete(key, at: now) }
            return true
        }
    }
}
