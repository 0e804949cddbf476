package import RestEngine
internal import SharedPromises

/// Invalidations over the hosts of one server: performs what its ``InvalidationLog`` says, on a stream of
/// Redis.
@EngineActor
package final class RedisNews: SharedNews {
    private let engine: Engine
    private let client: RedisClient
    private let follower: RedisClient
    private let keys: LeaseKeys
    private let services: @EngineActor () -> [Service]
    private let host = RedisFlights.identity()
    private var log: InvalidationLog
    private var isStopped = false

    /// The entries that the stream keeps. A host that was away for more has nothing fresh.
    package nonisolated static let mostEntries = 10_000
    /// The largest data that is set on all hosts. Larger data is wiped there instead.
    package nonisolated static let mostDataBytes = 64 << 10
    /// Seconds for a command that no request waits for, beyond the time that it blocks.
    private static let timeout = 0.25

    /// - Parameters:
    ///   - follower: A client of the same server, with a connection for blocking commands.
    ///   - services: Those that make the changes of other hosts.
    package init(
        engine: Engine, client: RedisClient, follower: RedisClient, _ keys: RedisKeys,
        services: @escaping @EngineActor () -> [Service]
    ) {
        (self.engine, self.client, self.follower) = (engine, client, follower)
        (self.keys, self.services) = (LeaseKeys(keys: keys), services)
        log = InvalidationLog(host: host)
    }

    package func start() { perform(log.started()) }
    package func stop() { isStopped = true }

    /// Whether all changes of this host are in the log.
    package var isWritten: Bool { log.unsentCount == 0 }
    /// Whether it knows its place in the log.
    package var isFollowing: Bool { log.place != nil }

    package func publish(_ change: SharedChange) { perform(log.publish(Invalidation(change))) }

    private func perform(_ actions: [InvalidationLog.Action]) {
        guard !isStopped else { return }
        for action in actions { perform(action) }
    }

    private func perform(_ action: InvalidationLog.Action) {
        switch action {
        case .locate: locate()
        case .read(let id): read(after: id)
        case .add(let serial, let invalidation): add(serial, invalidation)
        case .resumeReading(let seconds):
            engine.scheduler.after(seconds) { [weak self] in
                if let self { perform(log.readingResumed()) }
            }
        case .resumeWriting(let seconds):
            engine.scheduler.after(seconds) { [weak self] in
                if let self { perform(log.writingResumed()) }
            }
        case .apply(let invalidation):
            for service in services() where service.name == invalidation.service {
                if let change = SharedChange(invalidation) {
                    service.apply(change)
                } else {
                    service.expireAll()
                }
            }
        case .dropEverything: for service in services() { service.expireAll() }
        }
    }

    // MARK: Commands

    private func locate() {
        let command = RedisCommand("HMGET", .text(keys.logHead), "e", "n", "l")
        follower.send(command, timeout: Self.timeout) { [weak self] result in
            guard let self else { return }
            guard case .success(let value) = result, let parts = value.elements, parts.count == 3 else {
                return perform(log.readFailed())
            }
            var end: InvalidationPlace?
            if let epoch = parts[0].text, let number = parts[1].integer, let id = parts[2].text {
                end = InvalidationPlace(epoch: epoch, number: number, id: id)
            }
            perform(log.located(end))
        }
    }

    private func read(after id: String) {
        let seconds = InvalidationReader.readSeconds
        let command = RedisCommand(
            "XREAD", "COUNT", "100", "BLOCK", .integer(Int(seconds * 1000)), "STREAMS", .text(keys.log),
            .text(id))
        follower.send(command, timeout: seconds + Self.timeout) { [weak self] result in
            guard let self else { return }
            guard case .success(let value) = result else { return perform(log.readFailed()) }
            let entries = Self.entries(value)
            perform(entries.isEmpty ? log.nothing() : log.received(entries))
        }
    }

    /// The entries of a reply to `XREAD`, which is a map with version 3 of the protocol.
    private static func entries(_ value: RedisValue) -> [InvalidationEntry] {
        let stream: RedisValue?
        switch value {
        case .map(let parts): stream = parts.last
        case .array(let streams): stream = streams.first?.elements?.last
        default: stream = nil
        }
        return (stream?.elements ?? []).map(entry)
    }

    private static func entry(_ value: RedisValue) -> InvalidationEntry {
        let parts = value.elements ?? []
        var fields: [(name: String, value: [UInt8])] = []
        let words = parts.last?.elements ?? []
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            guard let name = words[index].text, case .bytes(let bytes) = words[index + 1] else { continue }
            fields.append((name, bytes))
        }
        func text(_ name: String) -> String {
            fields.first { $0.name == name }.flatMap { String(validating: $0.value, as: UTF8.self) } ?? ""
        }
        return InvalidationEntry(
            id: parts.first?.text ?? InvalidationPlace.start.id, epoch: text("e"),
            number: Int64(text("n")) ?? -1, host: text("h"), serial: Int64(text("i")) ?? 0,
            Invalidation(fields: fields.filter { !["e", "n", "h", "i"].contains($0.name) }))
    }

    private func add(_ serial: Int64, _ invalidation: Invalidation) {
        var names = [keys.log, keys.logHead, keys.generation(invalidation.service)]
        var name = ""
        if case .url(let url) = invalidation.target {
            name = LeaseKeys.name(invalidation.service, invalidation.partition, url)
            names += [keys.flight(name), keys.lease(name), keys.waiters(name), keys.value(name)]
        }
        let head: [RedisCommand.Argument] = [
            .text(host), .integer(Int(serial)), .text(RedisFlights.identity()), .integer(Self.mostEntries),
            .text(keys.messagesPrefix), .text(name),
        ]
        let fields = invalidation.fields.flatMap { field -> [RedisCommand.Argument] in
            [.text(field.name), .bytes(field.value)]
        }
        engine.beginOffloadedWork()
        client.run(LeaseScripts.invalidate, keys: names, head + fields, timeout: Self.timeout) {
            [self] result in
            if case .success = result { perform(log.added(serial)) } else { perform(log.addFailed(serial)) }
            engine.endOffloadedWork()
        }
    }
}

// MARK: Conversion

extension Invalidation {
    init(_ change: SharedChange) {
        let kind: Change
        switch change.kind {
        case .stale: kind = .stale
        case .outdated: kind = .outdated
        case .wiped: kind = .wiped
        case .blocks: kind = .blocks
        case .overridden(let entity, let seconds):
            let bytes = (try? EntityCoding.encode(entity)) ?? []
            // Data that can't leave the process, or is too large, is gone on other hosts.
            let isSent = !bytes.isEmpty && bytes.count <= RedisNews.mostDataBytes
            kind = isSent ? .overridden(Self.head(entity.timestamp, seconds) + bytes) : .wiped
        }
        let target: Target
        switch change.target {
        case .all: target = .all
        case .url(let url): target = .url(url)
        case .glob(let glob): target = .glob(glob)
        }
        self.init(kind, service: change.service, partition: change.partition, target)
    }

    private static func head(_ timestamp: Double, _ seconds: Double?) -> [UInt8] {
        [timestamp, seconds ?? -1].flatMap { number in
            withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        }
    }
}

extension SharedChange {
    /// Nil for an invalidation that can't be made as it is.
    init?(_ invalidation: Invalidation) {
        let kind: Kind
        switch invalidation.change {
        case .stale: kind = .stale
        case .outdated: kind = .outdated
        case .wiped: kind = .wiped
        case .blocks: kind = .blocks
        case .everything: return nil
        case .overridden(let bytes):
            guard let data = Self.data(bytes) else { return nil }
            kind = .overridden(data.entity, expirationSeconds: data.seconds)
        }
        let target: Target
        switch invalidation.target {
        case .all: target = .all
        case .url(let url): target = .url(url)
        case .glob(let glob): target = .glob(glob)
        }
        self.init(kind, service: invalidation.service, partition: invalidation.partition, target)
    }

    private static func data(_ bytes: [UInt8]) -> (entity: Entity, seconds: Double?)? {
        guard bytes.count > 16, var entity = EntityCoding.decode(Array(bytes[16...])) else { return nil }
        let numbers = [0, 8].map { offset in
            bytes.withUnsafeBytes {
                Double(
                    bitPattern: UInt64(
                        littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        }
        entity.timestamp = numbers[0]
        return (entity, numbers[1] >= 0 ? numbers[1] : nil)
    }
}
