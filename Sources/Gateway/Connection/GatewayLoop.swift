import NIOCore
import RestEngine
import Synchronization

/// What the connections of one event loop share. Event loop only.
final class GatewayLoop {
    /// How long a rendering is kept that nobody asks for.
    private static let contentSeconds = 10

    let eventLoop: any EventLoop
    let desk: EngineDesk
    let limits: GatewayLimits
    /// Operators are at the other end: see ``GatewayConfiguration/isForAdmins``.
    let isForAdmins: Bool
    let accessLog: (@Sendable (AccessRecord) -> Void)?
    let clock: @Sendable () -> Double
    let openConnections: OpenConnections
    let post: AnswerPost

    /// As of the last ``refreshAccess()``.
    private(set) var access: GatewayRules.Access
    var targets = TargetTable()
    var writer: AnswerWriter
    /// Moves on with each sweep; connections measure their patience in it.
    private(set) var tick = 0
    private(set) var isDraining = false
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private var sweeping: RepeatedTask?
    private var drained: EventLoopPromise<Void>?

    init(
        eventLoop: any EventLoop, desk: EngineDesk, configuration: GatewayConfiguration,
        openConnections: OpenConnections
    ) {
        self.eventLoop = eventLoop
        self.desk = desk
        limits = configuration.limits
        isForAdmins = configuration.isForAdmins
        access = desk.rules.currentAccess
        accessLog = configuration.accessLog
        clock = configuration.clock
        self.openConnections = openConnections
        post = AnswerPost(eventLoop: eventLoop)
        writer = AnswerWriter(allocator: ByteBufferAllocator())
    }

    /// Forgets what was answered under rules that hold no more.
    @inline(__always)
    func refreshAccess() {
        if desk.rules.version != access.version { takeNewAccess() }
    }

    private func takeNewAccess() {
        access = desk.rules.currentAccess
        targets.removeAll()
    }

    // MARK: Connections

    /// False when there are too many.
    func add(_ connection: ConnectionHandler) -> Bool {
        let count = openConnections.count.wrappingAdd(1, ordering: .relaxed).newValue
        guard count <= limits.maxConnections else {
            openConnections.count.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        connections[ObjectIdentifier(connection)] = connection
        startSweeping()
        return true
    }

    func remove(_ connection: ConnectionHandler) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        openConnections.count.wrappingSubtract(1, ordering: .relaxed)
        guard connections.isEmpty else { return }
        sweeping?.cancel()
        sweeping = nil
        targets.forget(unusedSince: .max)
        drained?.succeed()
        drained = nil
    }

    // MARK: Time

    private var sweepSeconds: Double {
        min(1, max(0.01, min(limits.idleTimeout, limits.headerTimeout) / 4))
    }

    /// Seconds as sweeps, rounded up, and one more because the next sweep may be about to come.
    func ticks(_ seconds: Double) -> Int { Int((min(seconds, 1e9) / sweepSeconds).rounded(.up)) + 1 }

    /// One timer for all connections: setting one for each request costs more than the request.
    private func startSweeping() {
        guard sweeping == nil else { return }
        let interval = TimeAmount.nanoseconds(Int64(sweepSeconds * 1e9))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        sweeping = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.sweep()
        }
    }

    func sweep() {
        tick += 1
        targets.forget(unusedSince: AnswerWriter.wholeSeconds(clock()) - Self.contentSeconds)
        for connection in Array(connections.values) { connection.sweep() }
    }

    // MARK: The end

    /// Completes when the last connection is closed.
    func drain() -> EventLoopFuture<Void> {
        isDraining = true
        guard !connections.isEmpty else { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        for connection in Array(connections.values) { connection.drain() }
        return promise.futureResult
    }

    /// Ends the connections that came in by a listener which is closing, each after the request under way.
    func drain(_ listener: ListenerState) {
        for connection in Array(connections.values) where connection.listener === listener {
            connection.drain()
        }
    }

    func closeAll() {
        for connection in Array(connections.values) { connection.close() }
    }
}

/// Counts the connections of all event loops.
final class OpenConnections: Sendable {
    let count = Atomic(0)
}
