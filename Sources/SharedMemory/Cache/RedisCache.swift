package import Coordination
internal import Platform
package import RestEngine

/// Keeps entities in a Redis server, where all hosts with the same prefix find them (rules 22).
///
/// A server that can't be used is no error for a request: a read finds nothing and a write is lost, within
/// the client's timeout. The server removes entries after their time, and by its own rules when it is full.
@EngineActor
package final class RedisCache: SharedEntityCache {
    package struct Settings: Sendable {
        package var keys: RedisKeys
        /// Seconds for which an entry is kept, from its last write or confirmation.
        package var lifetime = RedisCache.standardLifetime
        /// The largest entry; a larger entity is not kept.
        package var mostEntryBytes = RedisCache.standardMostEntryBytes
        package var compresses = false
        /// Whether hosts coordinate by the same server and prefix.
        package var isCoordinated = false

        package init(_ keys: RedisKeys) { self.keys = keys }
    }

    /// A day. It bounds the memory of the server, and not how fresh data is.
    package nonisolated static let standardLifetime = 86_400.0
    package nonisolated static let standardMostEntryBytes = 1 << 20
    /// An entity is decoded on the client's thread, where other replies wait meanwhile.
    package nonisolated static let mostEntryBytes = 32 << 20

    package nonisolated let description: String
    private let engine: Engine
    private let client: RedisClient
    private let settings: Settings
    private let user: @EngineActor () throws -> String?

    /// - Parameter user: The owner of the data, asked each time that a key is made. For nil nothing is kept.
    package init(
        engine: Engine, client: RedisClient, _ settings: Settings,
        user: @escaping @EngineActor () throws -> String? = { "" }
    ) {
        self.engine = engine
        self.client = client
        self.settings = settings
        self.user = user
        description = "redis cache \(client.settings.servers) \(settings.keys.prefix)"
        engine.note(self)
    }

    package nonisolated var separatesPartitions: Bool { true }

    package nonisolated var isCoordinated: Bool { settings.isCoordinated }

    /// The client has a line in the log for each kind of failure, and the end of it.
    package nonisolated var reportsItsFailures: Bool { true }

    private struct Key: Sendable {
        let place: CacheEntry.Place
        let name: String
    }

    /// Nil for an invalid resource, for a partition of a client's credentials or of a call, and when there is
    /// no user.
    package func key(for resource: Resource, stage: String) throws -> CacheKey? {
        guard let url = resource.url, !resource.isOfProcess, let user = try user() else { return nil }
        let place = CacheEntry.Place(
            stage: stage, user: user, service: resource.service.name, partition: resource.partition,
            url: url.string)
        return CacheKey(Key(place: place, name: name(place)))
    }

    /// Two hashes: that of the service, so that its entries are found together, and that of all.
    private func name(_ place: CacheEntry.Place) -> String {
        settings.keys.key(Self.use, "\(Self.hash([place.service])):\(Self.hash(place.all))")
    }

    private static let use = "cache\(EntityCoding.version)"

    private static func hash(_ texts: [String]) -> String {
        var bytes: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: text.utf8.count).littleEndian) {
                bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: text.utf8)
        }
        return bytes.withUnsafeBytes { ContentHash($0).hex }
    }

    /// The key in the server; nil for a key of another cache.
    package func name(of key: CacheKey) -> String? { (key.value as? Key)?.name }

    // MARK: Operations

    package func read(
        _ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void
    ) {
        guard let key = key.value as? Key else { return completion(.success(nil)) }
        let most = 2 * max(settings.mostEntryBytes, Self.mostEntryBytes)
        engine.beginOffloadedWork()
        client.send(RedisCommand("GET", .text(key.name))) { (value) throws(RedisFailure) in
            guard case .bytes(let bytes) = value else { return CacheEntry.Reading?.none }
            return CacheEntry.decode(bytes, of: key.place, most: most)
        } completion: { [self] result in
            switch result {
            case .success(.entity(let entity)): completion(.success(entity))
            case .success(.other), .success(nil): completion(.success(nil))
            case .success(.unreadable):
                warn()
                completion(.success(nil))
            case .failure(let failure) where failure.kind == .foreign:
                warn()
                completion(.success(nil))
            case .failure(let failure): completion(.failure(failure))
            }
            engine.endOffloadedWork()
        }
    }

    private func warn() {
        guard client.condition.noteUnreadable(at: ClockReading.uptime) else { return }
        engine.log.write(
            .warning,
            "\(description): an entry is damaged, or another program wrote it; such entries count as missing, "
                + "and further ones are only counted for ten minutes")
    }

    package func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        guard let key = key.value as? Key else { return completion(nil) }
        write(entity, key, completion) { [settings] bytes in
            RedisCommand(
                "SET", .text(key.name), .bytes(bytes), "PX", .integer(settings.milliseconds),
                changesData: true)
        }
    }

    package func write(
        _ entity: Entity, for key: CacheKey, under grant: LeaseGrant,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        guard let key = key.value as? Key else { return completion(nil) }
        let keys = CoordinationKeys(keys: settings.keys)
        let numbers = keys.numbers(CoordinationKeys.name(key.place))
        write(entity, key, completion) { [settings] bytes in
            CoordinationScripts.write.whole(
                [numbers, keys.generation(key.place.service), key.name],
                [
                    .text("\(grant.number)"), .text("\(grant.generation)"), .bytes(bytes),
                    .integer(settings.milliseconds),
                ])
        }
    }

    private func write(
        _ entity: Entity, _ key: Key, _ completion: @escaping @EngineActor ((any Error)?) -> Void,
        making command: @escaping @Sendable ([UInt8]) -> RedisCommand
    ) {
        let settings = settings
        engine.beginOffloadedWork()
        client.send(weight: entity.estimatedBytes, changesData: true) { () throws(RedisFailure) in
            do throws(EntityCodingError) {
                let bytes = try CacheEntry.encode(
                    entity, at: key.place, compressing: settings.compresses, most: settings.mostEntryBytes)
                return bytes.map(command) ?? Self.removal(key.name)
            } catch { throw RedisFailure(.unsuitable, "\(error)") }
        } completion: { [self] result in
            if case .failure(let failure) = result, failure.kind == .unsuitable {
                // The old entry is no longer true.
                remove(key) { completion($0 ?? failure) }
            } else {
                completion(result.failure)
            }
            engine.endOffloadedWork()
        }
    }

    private nonisolated static func removal(_ name: String) -> RedisCommand {
        RedisCommand("DEL", .text(name), changesData: true)
    }

    /// Writes the time alone, if it is later: of two hosts the one that asked the API last is right.
    private static let stamping = RedisScript(
        """
        local head = redis.call('GETRANGE', KEYS[1], 0, 11)
        if #head < 12 or string.sub(head, 1, 4) ~= ARGV[1] then return 0 end
        local old = struct.unpack('<d', string.sub(head, 5, 12))
        local new = struct.unpack('<d', string.sub(ARGV[2], 1, 8))
        if new < old then return 0 end
        redis.call('SETRANGE', KEYS[1], 4, ARGV[2])
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return 1
        """)

    package func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        guard let key = key.value as? Key, timestamp.isFinite else { return completion(nil) }
        engine.beginOffloadedWork()
        client.run(
            Self.stamping, keys: [key.name],
            [
                .bytes(CacheEntry.magic), .bytes(CacheEntry.stampBytes(timestamp)),
                .integer(settings.milliseconds),
            ]
        ) { [engine] result in
            if case .failure(let failure) = result, failure.kind != .foreign {
                completion(failure)
            } else {
                completion(nil)
            }
            engine.endOffloadedWork()
        }
    }

    package func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        guard let key = key.value as? Key else { return completion(nil) }
        remove(key, completion)
    }

    private func remove(_ key: Key, _ completion: @escaping @EngineActor ((any Error)?) -> Void) {
        engine.beginOffloadedWork()
        client.send(Self.removal(key.name)) { [engine] result in
            completion(result.failure)
            engine.endOffloadedWork()
        }
    }

    // MARK: Removal of many

    package func removeAll(
        of service: String,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        engine.beginOffloadedWork()
        let pattern = settings.keys.pattern(Self.use, beginningWith: Self.hash([service]) + ":")
        client.scan(pattern) { [client] names, goOn in
            let heads = names.map {
                RedisCommand("GETRANGE", .text($0), "0", .integer(CacheEntry.headBytes - 1))
            }
            client.send(heads, timeout: RedisClient.scanTimeout) { result in
                switch result {
                case .failure(let failure): goOn(.failure(failure))
                case .success(let heads):
                    let doomed = zip(names, heads).filter { Self.isDoomed($0.1, matches) }.map(\.0)
                    guard !doomed.isEmpty else { return goOn(.success(true)) }
                    let removal = RedisCommand(["DEL"] + doomed.map { .text($0) }, changesData: true)
                    client.send(removal, timeout: RedisClient.scanTimeout) { goOn($0.map { _ in true }) }
                }
            }
        } completion: { [engine] failure in
            completion(failure)
            engine.endOffloadedWork()
        }
    }

    /// Also an entry that doesn't say what it belongs to: it can only be a loss to keep it.
    private static func isDoomed(
        _ head: Result<RedisValue, RedisFailure>, _ matches: (String?, String) -> Bool
    ) -> Bool {
        guard case .success(.bytes(let bytes)) = head, !bytes.isEmpty else { return false }
        guard let parts = CacheEntry.place(ofHead: bytes)?.parts else { return true }
        return matches(parts.partition, parts.url)
    }
}

extension RedisCache.Settings {
    fileprivate var milliseconds: Int { max(1, Int((lifetime * 1000).rounded())) }
}

extension CacheEntry.Place {
    fileprivate var all: [String] { [stage, user, service, url] }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
