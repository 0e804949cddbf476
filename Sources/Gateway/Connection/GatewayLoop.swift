import NIOCore
import RestEngine

/// The shared state of one event loop's connections. Event loop only.
final class GatewayLoop {
    /// Seconds for which a rendering is kept after the last request for it.
    private static let contentSeconds = 10
    private static let mostSurplus = 8
    /// Longer targets are answered by the engine each time. There may be thousands of them in a table.
    private static let mostTargetBytes = 1 << 10
    /// The time for which idle connections stay open while the gateway stops. Requests that their clients
    /// have already sent are read and answered in it.
    private static let lastReadTime = TimeAmount.milliseconds(5)

    /// The client of a request, as far as it is known.
    struct Client: Sendable {
        let accessPolicy: AccessPolicy
        /// It showed a token, or the gateway needs none.
        let isAuthorized: Bool
        /// The name of its token, key or certificate, or the `sub` of its token.
        let name: String?
        /// Its token or its listener makes it an operator; see also ``ConnectionHandler/isOperator(_:_:)``.
        var isOperator = false
        /// The claims of its token; nil if it showed none of an issuer.
        var claims: Tree?
        /// The names in its certificate; nil if it has none of the gateway's authority for clients.
        var certificate: [String]?
    }

    let eventLoop: any EventLoop
    let engine: EngineClient
    let audience: GatewayConfiguration.Audience
    var isForAdmins: Bool { audience == .admins }
    let healthTimeout: Double
    let controlTimeout: Double
    let clock: @Sendable () -> Double
    let uptime: @Sendable () -> Double
    let room: ConnectionRoom
    let mailbox: LoopMailbox

    /// The rules as of the last ``refreshRules()``.
    private(set) var rules: GatewayRules.Snapshot
    var targets = TargetTable()
    var conditions = ConditionsTable()
    var streams = LoopStreams()
    var requestIDs = RequestIDs()
    // Unchecked, because each head contains it, and no call of its methods can touch it again.
    @exclusivity(unchecked) var date: ResponseDate
    /// Nil until metrics are asked for; see ``GatewayMetrics``.
    private(set) var metrics: LoopMetrics?
    /// The time at which the current requests were read; for ``metrics``.
    var batchStart = 0.0
    /// The number of sweeps so far. Connections measure time in sweeps.
    private(set) var sweeps = 0
    /// The timeouts as of ``rules``. The length of a sweep stays what it was at the start.
    private(set) var timeout: ConnectionStateMachine.Timeouts
    private(set) var isDraining = false
    /// The requests and streams that the end of the gateway has cut off.
    private(set) var cut = GatewayCut()
    private var serial = 0
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    /// Connections over the limit, the oldest first.
    private var surplus: [ConnectionHandler] = []
    private var all: [ConnectionHandler] { Array(connections.values) + surplus }
    private var sweeping: RepeatedTask?
    private var drained: EventLoopPromise<Void>?

    init(
        eventLoop: any EventLoop, engine: EngineClient, configuration: GatewayConfiguration,
        room: ConnectionRoom
    ) {
        self.eventLoop = eventLoop
        self.engine = engine
        let limits = engine.rules.currentAccess.limits
        rules = engine.rules.snapshot
        timeout = ConnectionStateMachine.Timeouts(
            limits, sweepSeconds: min(1, max(0.01, min(limits.idleTimeout, limits.headerTimeout) / 4)))
        audience = configuration.audience
        healthTimeout = configuration.healthTimeout
        controlTimeout = configuration.controlTimeout
        clock = configuration.clock
        uptime = configuration.uptime
        self.room = room
        mailbox = LoopMailbox(eventLoop: eventLoop)
        date = ResponseDate(clock: configuration.clock)
    }

    /// Forgets the answers of older rules.
    @inline(__always)
    func refreshRules() {
        if engine.rules.version != rules.access.version { takeNewRules() }
    }

    private func takeNewRules() {
        rules = engine.rules.snapshot
        timeout = ConnectionStateMachine.Timeouts(rules.access.limits, sweepSeconds: timeout.sweepSeconds)
        targets.removeAll()
        for connection in streams.all { connection.recheckStream() }
    }

    /// The feed of events for the streams of this loop.
    var feed: LiveResource.Feed {
        let (mailbox, bound) = (mailbox, NIOLoopBound(self, eventLoop: eventLoop))
        return LiveResource.Feed(loop: ObjectIdentifier(self)) { id, frame in
            mailbox.send { for connection in bound.value.streams.of(id) { connection.receive(frame) } }
        }
    }

    // MARK: Connections

    func nextSerial() -> Int {
        serial += 1
        return serial
    }

    /// False if there are too many. A surplus connection is only answered about the host's health.
    func add(_ connection: ConnectionHandler) -> Bool {
        defer { startSweeping() }
        beginCounting()
        if !room.enter() {
            room.noteCrowd()
            closeIdle()
            guard room.enter() else {
                addSurplus(connection)
                return false
            }
        }
        connections[ObjectIdentifier(connection)] = connection
        return true
    }

    func remove(_ connection: ConnectionHandler) {
        if connections.removeValue(forKey: ObjectIdentifier(connection)) != nil {
            room.leave()
        } else if let index = surplus.firstIndex(where: { $0 === connection }) {
            surplus.remove(at: index)
        } else {
            return
        }
        guard connections.isEmpty, surplus.isEmpty else { return }
        reportGauges()
        sweeping?.cancel()
        sweeping = nil
        targets.forget(unusedSince: .max)
        drained?.succeed()
        drained = nil
    }

    /// Adds a surplus connection. There are only a few, so the oldest one makes room.
    private func addSurplus(_ connection: ConnectionHandler) {
        if surplus.count == Self.mostSurplus { surplus[0].close() }
        surplus.append(connection)
    }

    /// Makes room for a client that waits to be accepted.
    func makeRoom() {
        closeIdle()
        surplus.first?.close()
    }

    /// Closes some connections whose clients wait for no answer, the longest idle first, then some whose
    /// heads make no progress. It closes several at once, because looking for them takes time.
    private func closeIdle() {
        let idle = connections.values.filter(\.isIdle).sorted { $0.idleOrder < $1.idleOrder }
        for connection in idle.prefix(max(1, connections.count / 32)) { connection.close() }
    }

    // MARK: Time

    /// One timer for all connections, because a timer for each request would cost more than the request.
    private func startSweeping() {
        guard sweeping == nil else { return }
        let interval = TimeAmount.nanoseconds(Int64(timeout.sweepSeconds * 1e9))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        sweeping = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.sweep()
        }
    }

    func sweep() {
        sweeps += 1
        refreshRules()
        beginCounting()
        reportGauges()
        targets.forget(unusedSince: uptime().wholeSeconds - Self.contentSeconds)
        for connection in all { connection.sweep() }
    }

    // MARK: Metrics

    /// Begins to count. Answers from before have no labels, so they are dropped.
    private func beginCounting() {
        guard metrics == nil, let new = engine.metrics.makeLoop() else { return }
        metrics = new
        targets.removeAll()
    }

    private func reportGauges() {
        metrics?.set(connections: connections.count + surplus.count, streams: streams.count)
    }

    /// Counts an answer.
    func count(
        _ labels: Int, _ method: String, status: Int, _ outcome: RequestSeries.Outcome, bytes: Int,
        since start: Double
    ) {
        metrics?.count(
            RequestSeries.Key(
                labels: labels, method: RequestSeries.method(method), status: Int16(clamping: status),
                outcome: outcome.rawValue),
            seconds: uptime() - start, bytes: bytes)
    }

    // MARK: Targets

    /// Lets a target be answered without the engine while its content is fresh.
    func show(_ shown: EngineClient.Shown, at target: [UInt8], _ accessPolicy: AccessPolicy) {
        guard target.count <= Self.mostTargetBytes else { return }
        let known = target.withUnsafeBytes { targets.find($0) }
        if known?.shows(shown, accessPolicy) ?? false { return }
        targets.insert(HotAnswer(target: target, shown, accessPolicy))
    }

    // MARK: The end

    /// Completes when the last connection is closed.
    func drain() -> EventLoopFuture<Void> {
        isDraining = true
        guard !all.isEmpty else { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.lastReadTime) {
            for connection in bound.value.all {
                if connection.carriesEvents { bound.value.cut.streams += 1 }
                connection.drain()
            }
        }
        return promise.futureResult
    }

    /// Ends the connections of a listener that closes, each after the request under way.
    func drain(_ listener: ListenerState) {
        for connection in all where connection.listener === listener {
            connection.drain()
        }
    }

    func closeAll() {
        for connection in all {
            if connection.hasRequest { cut.requests += 1 }
            connection.close()
        }
    }
}
