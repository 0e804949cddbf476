import LuaRuntime
import RestEngine

/// `rest.cache.custom{…}`: an entity cache that works by functions of the script. Each of them may wait and
/// may raise.
@EngineActor
final class ScriptCache: EntityCache {
    struct Functions {
        let key: LuaReference
        let read: LuaReference
        let write: LuaReference
        let remove: LuaReference
        /// When it is nil, the entity is read, changed and written instead.
        let updateTimestamp: LuaReference?
    }

    private weak var context: ScriptContext?
    private let functions: Functions
    nonisolated let description: String
    nonisolated let separatesPartitions: Bool

    init(
        _ context: ScriptContext, _ functions: Functions, place: String?, separatesPartitions: Bool = false
    ) {
        self.context = context
        self.separatesPartitions = separatesPartitions
        self.functions = functions
        description = "custom cache" + (place.map { " (\($0))" } ?? "")
    }

    /// The key function is called at once, so that it reads the state of this moment, such as a user's name,
    /// even if it waits afterwards.
    func key(for resource: Resource, stage: String) throws -> CacheKey? {
        guard resource.url != nil else { return nil }
        guard let context else { throw ScriptContext.closed }
        let key = ScriptCacheKey()
        try context.runner.withinKeyTime {
            run(functions.key, "key") { context, lua in
                context.values.push(resource, on: lua)
                lua.push(stage)
                return 2
            } read: { lua, place in
                lua.type(place) == .nil ? nil : lua.reference(place)
            } completion: {
                key.settle($0)
            }
        }
        return try key.isNone ? nil : CacheKey(key)
    }

    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void) {
        perform(functions.read, "read", key, completion: completion) { _, _ in
            0
        } read: { lua, place in
            if lua.type(place) == .nil { return nil }
            if let box = lua.object(place, as: ScriptEntity.self) { return box.entity }
            throw ScriptCacheError(
                description: "read returned a \(lua.typeName(place)) where it must return an entity or nil")
        }
    }

    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        change(functions.write, "write", key, completion) { context, lua in
            context.values.push(entity, on: lua)
            return 1
        }
    }

    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        guard let function = functions.updateTimestamp else {
            return read(key) { [self] result in
                switch result {
                case .failure(let error): completion(error)
                case .success(nil): completion(nil)
                case .success(var entity?):
                    entity.timestamp = timestamp
                    write(entity, for: key, completion: completion)
                }
            }
        }
        change(function, "update_timestamp", key, completion) { _, lua in
            lua.push(timestamp)
            return 1
        }
    }

    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        change(functions.remove, "remove", key, completion) { _, _ in 0 }
    }

    // MARK: Calling

    private func change(
        _ function: LuaReference, _ name: String, _ key: CacheKey,
        _ completion: @escaping @EngineActor ((any Error)?) -> Void,
        arguments: @escaping @EngineActor (ScriptContext, Lua) -> Int32
    ) {
        perform(function, name, key) { (result: Result<Bool?, any Error>) in
            completion(result.failure)
        } arguments: {
            arguments($0, $1)
        } read: { _, _ in
            nil
        }
    }

    /// Calls a function with the key as its first argument. It does nothing when there is no key.
    private func perform<Value>(
        _ function: LuaReference, _ name: String, _ key: CacheKey,
        completion: @escaping @EngineActor (Result<Value?, any Error>) -> Void,
        arguments: @escaping @EngineActor (ScriptContext, Lua) -> Int32,
        read: @escaping @EngineActor (Lua, Int32) throws -> Value?
    ) {
        guard let key = key.value as? ScriptCacheKey else { return completion(.success(nil)) }
        key.whenSettled { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(nil): completion(.success(nil))
            case .success(let value?):
                whenInTime { [self] in
                    run(function, name) { context, lua in
                        lua.push(value)
                        return arguments(context, lua) + 1
                    } read: {
                        try read($0, $1)
                    } completion: {
                        completion($0)
                    }
                }
            }
        }
    }

    /// Does the work now, or in a later tick when functions that the engine calls have taken long in this
    /// one.
    private func whenInTime(_ work: @escaping @EngineActor () -> Void) {
        guard let context, !context.isClosed, context.runner.isLate else { return work() }
        context.engine.scheduler.nextTick { [self] in whenInTime(work) }
    }

    /// Runs a function. It may wait for as long as the engine waits for a cache. It fails by raising, or by
    /// returning nil and a reason. `read` gets the index of the first result.
    private func run<Value>(
        _ function: LuaReference, _ name: String, arguments: @EngineActor (ScriptContext, Lua) -> Int32,
        read: @escaping @EngineActor (Lua, Int32) throws -> Value?,
        completion: @escaping @EngineActor (Result<Value?, any Error>) -> Void
    ) {
        guard let context, !context.isClosed else { return completion(.failure(ScriptContext.closed)) }
        let hook = ScriptHook()
        var timer: EngineTimer?
        hook.coroutine = context.state.spawn(
            function, phase: context.phases.cache, arguments: { arguments(context, $0) },
            completion: onLoop { [weak context] (lua: Lua, result: Result<Int32, LuaError>) in
                timer?.cancel()
                timer = nil
                guard let context else { return completion(.failure(ScriptContext.closed)) }
                context.jobs.remove(hook)
                switch result {
                case .failure(let error): completion(.failure(Self.fault(error, context)))
                case .success(let count): completion(Result { try Self.result(name, lua, count, read) })
                }
            })
        // A function that has already finished need not be remembered.
        guard hook.coroutine?.isFinished == false else { return }
        context.jobs.add(hook)
        timer = context.engine.scheduler.after(CacheLimits.answerSeconds) { hook.cancel() }
    }

    private static func fault(_ error: LuaError, _ context: ScriptContext) -> any Error {
        if error.kind == .cancelled {
            return context.isClosed
                ? ScriptContext.closed
                : ScriptCacheError(description: "no answer within \(Int(CacheLimits.answerSeconds)) seconds")
        }
        return ScriptFailures.raisedError(error, in: context.state)
            ?? ScriptCacheError(description: error.description)
    }

    /// Reads the first result. When that is nil or false and a reason follows, the reason is thrown.
    private static func result<Value>(
        _ name: String, _ lua: Lua, _ count: Int32, _ read: @EngineActor (Lua, Int32) throws -> Value?
    ) throws -> Value? {
        let height = lua.top
        defer { lua.setTop(height) }
        let first = height - count + 1
        // Missing results count as nil, and there may be more than two.
        if count < 2 { lua.setTop(first + 1) }
        if !lua.isTruthy(first), lua.type(first + 1) != .nil {
            if let known = lua.object(first + 1, as: ScriptErrorBox.self) { throw known.error }
            throw ScriptCacheError(
                description: lua.string(first + 1)
                    ?? "\(name) returned \(lua.typeName(first)) and a \(lua.typeName(first + 1))")
        }
        return try read(lua, first)
    }
}

/// The result of a key function, as soon as it is known.
@EngineActor
private final class ScriptCacheKey {
    private var result: Result<LuaReference?, any Error>?
    private var waiting: [@EngineActor (Result<LuaReference?, any Error>) -> Void] = []

    /// True when the function has returned no key. Throws the error that the function raised.
    var isNone: Bool {
        get throws { if case .some(let known) = result { try known.get() == nil } else { false } }
    }

    func settle(_ result: Result<LuaReference?, any Error>) {
        self.result = result
        let waiting = waiting
        self.waiting = []
        for next in waiting { next(result) }
    }

    func whenSettled(_ next: @escaping @EngineActor (Result<LuaReference?, any Error>) -> Void) {
        if let result { next(result) } else { waiting.append(next) }
    }
}

/// An error of a cache's function.
struct ScriptCacheError: Error, CustomStringConvertible {
    let description: String
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
