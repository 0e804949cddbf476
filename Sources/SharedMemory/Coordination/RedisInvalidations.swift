internal import Coordination
internal import Platform
internal import RestEngine

/// Invalidations over the hosts of one server: performs what its ``InvalidationLog`` says, on a stream of
/// Redis. The same command reads the host's messages.
@EngineActor
final class RedisInvalidations {
    private let engine: Engine
    private let client: RedisClient
    private let follower: RedisClient
    private let keys: CoordinationKeys
    private let host: String
    private var log: InvalidationLog
    private var lastMessage = InvalidationPlace.start.id
    private var isStopped = false
    /// Since when the other connection works and this one doesn't, on the uptime: the user may not have the
    /// right to read streams. Nil while both work, or neither does.
    private var failingSince: Double?
    private var isReported = false
    private(set) var counts = RedisCoordination.Invalidations()

    /// Those that make the changes of other hosts.
    var services: @EngineActor () -> [Service] = { [] }
    /// Gets the messages for this host.
    var onMessage: @EngineActor (HostMessage) -> Void = { _ in }
    /// Messages may have been lost.
    var onLoss: @EngineActor () -> Void = {}
    /// Called at the start, and when the server may have lost its data.
    var onMissed: @EngineActor () -> Void = {}

    /// The entries that the stream keeps. A host that was away for more has nothing fresh.
    static let mostEntries = 4096
    /// Seconds for a command that no request waits for, beyond the time that it blocks.
    private static let timeout = 0.25
    /// Seconds within which both connections are there again after a failure of the server.
    private static let reconnectionSeconds = 3.0

    /// - Parameters:
    ///   - follower: A client of the same server, with a connection for blocking commands.
    ///   - host: The identity of this host.
    init(
        engine: Engine, client: RedisClient, follower: RedisClient, _ keys: CoordinationKeys, host: String
    ) {
        (self.engine, self.client, self.follower) = (engine, client, follower)
        (self.keys, self.host) = (keys, host)
        log = InvalidationLog(host: host)
    }

    func start() { perform(log.started()) }
    func stop() { isStopped = true }

    /// The changes of this host that the log doesn't have yet.
    var waitingCount: Int { log.unsentCount }
    func awaitsChange(of resource: Resource) -> Bool {
        guard log.unsentCount > 0 else { return false }
        return log.isAwaited(
            for: Invalidation(
                .outdated, service: resource.service.name, partition: resource.partition,
                .url(resource.urlString)))
    }

    /// Whether it knows its place in the log.
    var isFollowing: Bool { log.place != nil }

    func publish(_ invalidation: Invalidation) { perform(log.publish(invalidation)) }

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
            counts.received += 1
            for service in services() where service.name == invalidation.service {
                service.apply(invalidation)
            }
        case .dropEverything:
            counts.missed += 1
            for service in services() { service.distrust() }
            onMissed()
        }
    }

    // MARK: Commands

    private func locate() {
        let command = RedisCommand("HMGET", .text(keys.logHead), "e", "n", "l")
        follower.send(command, timeout: Self.timeout) { [weak self] result in
            guard let self, !isStopped else { return }
            guard case .success(let value) = result, let parts = value.elements, parts.count == 3 else {
                return readFailed()
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
        let messages = keys.messages(host)
        let command = RedisCommand(
            "XREAD", "COUNT", "100", "BLOCK", .integer(Int(seconds * 1000)), "STREAMS", .text(keys.log),
            .text(messages), .text(id), .text(lastMessage))
        follower.send(command, timeout: seconds + Self.timeout) { [weak self] result in
            guard let self, !isStopped else { return }
            guard case .success(let value) = result else { return readFailed() }
            readWorks()
            let streams = StreamReply.streams(value)
            for message in streams[messages] ?? [] { receive(message) }
            let entries = (streams[keys.log] ?? []).map { InvalidationEntry($0) }
            perform(entries.isEmpty ? log.nothing() : log.received(entries))
        }
    }

    private func readFailed() {
        onLoss()
        // The other connection, which has the log's lines about failures, may have nothing else to do.
        client.send(RedisCommand("PING")) { [weak self] result in
            guard let self else { return }
            guard case .success = result, let failure else { return failingSince = nil }
            let now = engine.scheduler.uptime
            let since = failingSince ?? now
            failingSince = since
            if now - since >= Self.reconnectionSeconds, !isReported {
                isReported = true
                report("changes of other hosts don't arrive: \(failure)")
            }
        }
        perform(log.readFailed())
    }

    private func readWorks() {
        failingSince = nil
        guard isReported else { return }
        isReported = false
        report("changes of other hosts arrive again")
    }

    /// The first worker speaks for all.
    private func report(_ text: String) {
        if engine.worker?.isFirst ?? true { engine.log.write(.warning, text) }
    }

    /// The reason why changes of other hosts don't arrive; nil if they do.
    var failure: String? { follower.condition.failure }

    private func receive(_ message: RedisValue) {
        guard let parts = message.elements, parts.count == 2, let id = parts[0].text else { return }
        lastMessage = id
        if let message = HostMessage(parts[1]) { onMessage(message) }
    }

    private func add(_ serial: Int64, _ invalidation: Invalidation) {
        var names = [keys.log, keys.logHead, keys.generation(invalidation.service)]
        var name = ""
        if case .url(let url) = invalidation.target {
            name = CoordinationKeys.name(
                CacheEntry.Place(
                    stage: "", user: "", service: invalidation.service, partition: invalidation.partition,
                    url: url))
            names += [keys.numbers(name), keys.lease(name), keys.waiters(name), keys.value(name)]
        }
        let head: [RedisCommand.Argument] = [
            .text(host), .integer(Int(serial)), .text(RedisCoordination.identity()),
            .integer(Self.mostEntries),
            .text(keys.messagesPrefix), .text(name),
        ]
        let fields = invalidation.fields.flatMap { field -> [RedisCommand.Argument] in
            [.text(field.name), .bytes(field.value)]
        }
        engine.beginOffloadedWork()
        client.run(CoordinationScripts.invalidate, keys: names, head + fields, timeout: Self.timeout) {
            [self] result in
            if case .success = result {
                counts.sent += 1
                perform(log.added(serial))
            } else {
                perform(log.addFailed(serial))
            }
            engine.endOffloadedWork()
        }
    }
}
