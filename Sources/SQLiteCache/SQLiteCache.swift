public import RestEngine

/// Keeps entities in an SQLite file (rules 22).
///
/// The file is opened at the first operation, on the cache queue, and may be shared: by services, by caches,
/// by processes. When it is damaged it is moved aside (`name.damaged-1`), with a warning, and a new one is
/// begun. A file that isn't known as a cache, by the mark in its first bytes, stays as it is, and each
/// operation fails. A file that can't be written, or a full disk, fails what needs it, and what is there can
/// still be read.
///
/// Entries whose last use is longest ago make room for new ones. Content of Swift types and objects of a
/// script's classes can't be kept (``EntityCoding``).
@EngineActor
public final class SQLiteCache: EntityCache {
    /// Bytes of a cache that says nothing of its size.
    public nonisolated static let defaultMaxBytes = 256 << 20

    /// For logs and `explain`: the file.
    public nonisolated let description: String
    private let engine: Engine
    private let user: @EngineActor () throws -> String?
    private let queue: CacheQueue
    private let answers = Answers()

    /// - Parameters:
    ///   - path: Of the file; its folder must exist. SQLite puts two more beside it, `-wal` and `-shm`.
    ///   - maxBytes: Of all entries; the file is somewhat larger.
    ///   - user: The owner of the data, so that users don't see each other's; asked each time that a key is
    ///     made. For nil nothing is kept.
    public init(
        engine: Engine, path: String, maxBytes: Int = SQLiteCache.defaultMaxBytes,
        user: @escaping @EngineActor () throws -> String? = { "" }
    ) {
        self.engine = engine
        self.user = user
        description = "sqlite cache \(path)"
        queue = CacheQueue(EntityStore.Settings(path: path, maxBytes: max(0, maxBytes)), answers: answers) {
            [weak engine] in engine?.log.write($0, $1)
        }
        engine.note(self)
    }

    public nonisolated var separatesPartitions: Bool { true }

    deinit { queue.close() }

    /// Throws when the file at `path` is none of a cache, as each operation would later. Reads its first
    /// bytes.
    public nonisolated static func requireOwn(_ path: String) throws {
        try DatabaseFile(path: path).requireOwn(.cache)
    }

    /// Nil for an invalid resource, for a partition of a client's credentials or of a call, and when there is
    /// no user.
    public func key(for resource: Resource, stage: String) throws -> CacheKey? {
        // The names of these partitions change with each process.
        guard let url = resource.url, !resource.isOfProcess, let user = try user()
        else { return nil }
        return CacheKey(
            EntryKey(
                stage: stage, user: user, service: resource.service.name,
                url: EntryKey.place(resource.partition, url.string)))
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

    public func removeAll(
        of service: String,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        let all = EntryKey(stage: "", user: "", service: service, url: "")
        queue.add(
            Operation(key: all, action: .removeAll(matches), answer: expectAnswer { completion($0.error) }))
    }

    /// Closes the file behind everything asked so far; a later operation opens it again. A cache that is
    /// dropped closes its file too.
    public func close(completion: @escaping @EngineActor () -> Void) {
        queue.close(expectAnswer { _ in completion() })
    }

    private func run(
        _ action: Operation.Action, _ key: CacheKey,
        _ completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void
    ) {
        guard let place = key.value as? EntryKey else {
            return completion(.failure(SQLiteCacheError(.other, "a key of another cache")))
        }
        if queue.hasRoom(for: action) {
            return queue.add(Operation(key: place, action: action, answer: expectAnswer(completion)))
        }
        // The key's old entry is no longer true, and a removal takes hardly any memory.
        let error = SQLiteCacheError(
            .overloaded, "\(description) can't keep up: too much waits to be written")
        queue.add(
            Operation(key: place, action: .remove, answer: expectAnswer { _ in completion(.failure(error)) }))
    }

    private func expectAnswer(_ completion: @escaping Answers.Completion) -> Answers.ID {
        engine.beginOffloadedWork()
        return answers.expect { [engine] result in
            completion(result)
            engine.endOffloadedWork()
        }
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
