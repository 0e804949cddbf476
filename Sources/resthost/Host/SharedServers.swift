import Gateway
import Platform
import RestEngine
import RestScript
import SharedMemory

/// The clients of shared memories that are in use, by their servers. A script that is loaded again finds the
/// client of the one before, and its connection.
@EngineActor
final class SharedServers {
    struct TooMany: Error, CustomStringConvertible {
        var description: String { "\(SharedServers.limit) servers are in use, and there may be no more" }
    }

    static let shared = SharedServers()
    /// The limit of servers, because each has a connection.
    nonisolated static let limit = 16

    private struct Known {
        let servers: RedisServers
        let timeout: Double
        weak var client: RedisClient?
    }

    private var known: [Known] = []

    private var clients: [RedisClient] { known.compactMap(\.client) }

    /// - Parameter log: Gets the begin and the end of each kind of failure.
    func client(
        _ settings: SharedMemorySettings, log: @escaping @EngineActor (ScriptLogEntry) -> Void
    ) throws -> RedisClient {
        known.removeAll { $0.client == nil }
        let servers = try RedisServers(settings)
        let match = known.first { $0.servers == servers && $0.timeout == settings.timeout }
        if let client = match?.client { return client }
        guard known.count < Self.limit else { throw TooMany() }
        let client = RedisClient(
            RedisClient.Settings(servers, timeout: settings.timeout),
            log: { line in
                let entry = ScriptLogEntry(level: line.isWarning ? .warn : .info, text: line.text)
                EngineLoop.shared.submit { log(entry) }
            })
        known.append(Known(servers: servers, timeout: settings.timeout, client: client))
        return client
    }

    /// The reason why the host is degraded; nil while there is none.
    func failure(of engine: Engine) -> String? {
        clients.lazy.compactMap(\.condition.failure).first
            ?? (engine.coordination as? RedisCoordination)?.failure
    }

    func families(of engine: Engine) -> [MetricFamily] {
        let all = clients.map { (server: $0.settings.servers.description, counts: $0.condition.counts) }
        func samples(
            _ value: (RedisCondition.Counts) -> Double
        ) -> [MetricFamily.Sample] {
            all.map { .init([.init("server", $0.server)], .number(value($0.counts))) }
        }
        let commands = all.flatMap { server, counts in
            ([("done", counts.done)]
                + counts.failed.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 })
                .map { result, count in
                    MetricFamily.Sample(
                        [.init("server", server), .init("result", result)], .number(Double(count)))
                }
        }
        return [
            MetricFamily(.sharedCommands, commands),
            MetricFamily(.sharedConnected, samples { $0.isConnected ? 1 : 0 }),
            MetricFamily(.sharedUnreadable, samples { Double($0.unreadable) }),
        ] + ((engine.coordination as? RedisCoordination)?.families ?? [])
    }
}

extension RedisServers {
    fileprivate init(_ settings: SharedMemorySettings) throws {
        self.init(try settings.urls.map { try RedisAddress($0) })
        authorityFile = settings.authorityFile
        followsSentinels = settings.followsSentinels
    }
}

extension RedisCoordination {
    fileprivate var families: [MetricFamily] {
        func counters(_ name: MetricName, _ counts: [(String, Int)]) -> MetricFamily {
            MetricFamily(name, counts.map { .init([.init("result", $0.0)], .number(Double($0.1))) })
        }
        let (loads, changes, limits) = (loads, changes, limits)
        return [
            counters(
                .sharedLoads, [("leased", loads.leased), ("used", loads.used), ("alone", loads.alone)]),
            counters(.sharedLimits, [("answered", limits.answered), ("unanswered", limits.unanswered)]),
            counters(
                .sharedInvalidations,
                [("sent", changes.sent), ("received", changes.received), ("missed", changes.missed)]),
            MetricFamily(.sharedInvalidationsWaiting, [.init([], .number(Double(waitingChanges)))]),
        ]
    }
}

/// A shared memory of a script, in a server.
@EngineActor
final class RedisSharedMemory: SharedMemoryAccess {
    private let engine: Engine
    private let client: RedisClient
    private let keys: RedisKeys
    private let coordinates: Bool
    private let key: SealingKey?
    private let store: RedisStore

    init(_ engine: Engine, _ client: RedisClient, _ keys: RedisKeys, coordinates: Bool, key: SealingKey?) {
        (self.engine, self.client, self.keys) = (engine, client, keys)
        (self.coordinates, self.key) = (coordinates, key)
        store = RedisStore(engine: engine, client: client, keys)
    }

    func coordinate(_ services: @escaping @EngineActor () -> [Service]) {
        if let known = engine.coordination as? RedisCoordination, known.uses(client, keys, sealing: key) {
            known.services = services
            return
        }
        engine.coordination?.stop()
        let new = RedisCoordination(
            engine: engine, client: client, keys, sealing: key, services: services)
        engine.coordination = new
        new.start()
    }

    func makeCache(_ settings: RedisCacheSettings) -> any EntityCache {
        var own = RedisCache.Settings(keys)
        own.lifetime = settings.lifetime ?? own.lifetime
        own.mostEntryBytes = settings.maxEntryBytes ?? own.mostEntryBytes
        own.compresses = settings.compresses
        own.isCoordinated = coordinates
        return RedisCache(engine: engine, client: client, own, user: settings.user ?? { "" })
    }

    func get(_ key: String, completion: @escaping Completion<Tree?>) {
        store.get(key) { completion($0.erased) }
    }

    func set(_ value: Tree, for key: String, lifetime: Double?, completion: @escaping Completion<Void>) {
        store.set(value, for: key, lifetime: lifetime) { completion($0.erased) }
    }

    func delete(_ key: String, completion: @escaping Completion<Bool>) {
        store.delete(key) { completion($0.erased) }
    }

    func increase(_ key: String, by step: Tree, completion: @escaping Completion<Tree>) {
        store.increase(key, by: step) { completion($0.erased) }
    }

    func keys(beginningWith prefix: String, completion: @escaping Completion<[String]>) {
        store.keys(beginningWith: prefix) { completion($0.erased) }
    }

    func compareAndSet(_ key: String, _ old: Tree?, _ new: Tree?, completion: @escaping Completion<Bool>) {
        store.compareAndSet(key, old, new) { completion($0.erased) }
    }
}

extension Result where Failure: Error {
    fileprivate var erased: Result<Success, any Error> { mapError { $0 } }
}

extension SharedMemoryProvider {
    /// - Parameter log: Gets the begin and the end of each kind of failure.
    static func redis(log: @escaping @EngineActor (ScriptLogEntry) -> Void) -> SharedMemoryProvider {
        SharedMemoryProvider { url in
            let address = try RedisAddress(url)
            return switch address.place {
            case .network(let host, let port):
                Place(.network(host: host, port: port), password: address.password)
            case .socket(let path): Place(.socket(path: path), password: address.password)
            }
        } faultOfPrefix: { prefix in
            RedisKeys(prefix: prefix) == nil ? RedisKeys.advice : nil
        } open: { engine, settings in
            guard let keys = RedisKeys(prefix: settings.prefix) else { throw PrefixFault() }
            // All workers use the same server, and one of them reports its failures.
            let isReporter = engine.worker?.isFirst ?? true
            return RedisSharedMemory(
                engine, try SharedServers.shared.client(settings) { if isReporter { log($0) } }, keys,
                coordinates: settings.coordinates, key: settings.key.flatMap { SealingKey($0) })
        }
    }

    private struct PrefixFault: Error, CustomStringConvertible {
        var description: String { RedisKeys.advice }
    }
}
