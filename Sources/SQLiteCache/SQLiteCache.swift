public import RestEngine

/// Keeps entities in an SQLite file (siesta-semantics 22).
///
/// The file is opened at the first operation, on the cache queue, and may be shared: by services, by caches, by
/// processes. When it is damaged it is moved aside (`name.damaged-1`), with a warning, and a new one is begun. A file
/// that can't be written, or a full disk, fails what needs it, and what is there can still be read.
///
/// Entries whose last use is longest ago make room for new ones. Content of Swift types and objects of a script's
/// classes can't be kept (``EntityCoding``).
@EngineActor
public final class SQLiteCache: EntityCache {
    public nonisolated let description: String
    private let engine: Engine
    private let user: @EngineActor () throws -> String
    private let queue: CacheQueue

    /// - Parameters:
    ///   - path: Of the file; its folder must exist. SQLite puts two more beside it, `-wal` and `-shm`.
    ///   - maxBytes: Of all entries; the file is somewhat larger.
    ///   - user: Whose data it is, so that nobody sees another's; asked each time that a key is made.
    public init(
        engine: Engine, path: String, maxBytes: Int = 256 << 20,
        user: @escaping @EngineActor () throws -> String = { "" }
    ) {
        self.engine = engine
        self.user = user
        description = "sqlite cache \(path)"
        queue = CacheQueue(EntityStore.Settings(path: path, maxBytes: max(0, maxBytes))) { [weak engine] in
            engine?.log.write($0, $1)
        }
    }

    deinit { queue.close {} }

    /// Nil for an invalid resource.
    public func key(for resource: Resource, stage: String) throws -> CacheKey? {
        guard let url = resource.url else { return nil }
        return CacheKey(
            EntryKey(stage: stage, user: try user(), service: resource.service.name, url: url.string))
    }

    public func read(
        _ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void
    ) {
        run(.read, key, completion)
    }

    public func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        run(.write(entity), key) { completion($0.error) }
    }

    public func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        run(.updateTimestamp(timestamp), key) { completion($0.error) }
    }

    public func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        run(.remove, key) { completion($0.error) }
    }

    /// Closes the file behind everything asked so far; a later operation opens it again. A cache that is dropped
    /// closes its file too.
    public func close(completion: @escaping @EngineActor () -> Void) {
        engine.beginOutsideWork()
        queue.close { [engine] in
            completion()
            engine.endOutsideWork()
        }
    }

    private func run(
        _ action: Operation.Action, _ key: CacheKey,
        _ completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void
    ) {
        guard let place = key.value as? EntryKey else {
            return completion(.failure(SQLiteCacheError(.other, "a key of another cache")))
        }
        engine.beginOutsideWork()
        let finish: @EngineActor (Result<Entity?, any Error>) -> Void = { [engine] result in
            completion(result)
            engine.endOutsideWork()
        }
        if queue.add(Operation(key: place, action: action, completion: finish)) { return }
        // What the key has is no longer true, and a removal holds no memory to speak of.
        let error = SQLiteCacheError(
            .overloaded, "\(description) can't keep up: too much waits to be written")
        _ = queue.add(Operation(key: place, action: .remove) { _ in finish(.failure(error)) })
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
