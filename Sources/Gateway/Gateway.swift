import NIOCore
import NIOPosix
import Platform
import Synchronization

/// The HTTP server before the engine: it serves the resources of services to any HTTP client.
///
/// Its network threads answer fresh content by themselves. Everything else is a message to the engine loop.
public final class Gateway: Sendable {
    private enum State {
        case idle
        case starting
        case running(Running)
        case stopped
    }

    struct Running {
        let group: MultiThreadedEventLoopGroup
        let loops: [NIOLoopBound<GatewayLoop>]
        let room: ConnectionRoom
        var listeners: [Listener]
        /// The configuration as of the last update.
        var configuration: GatewayConfiguration
        /// See ``ListenerSecrets/ends``.
        var certificateEnds: [String: Double]
    }

    let configuration: GatewayConfiguration
    private let addresses: [(text: String, address: ListenAddress)]
    private let secrets: ListenerSecrets
    let engine: EngineClient
    private let state = Mutex(State.idle)

    /// Checks the configuration. Without a `control` the `/-/` routes that need one don't exist.
    public init(
        _ configuration: GatewayConfiguration, directory: any GatewayDirectory,
        control: (any HostControl)? = nil
    ) throws(GatewayError) {
        try configuration.check()
        self.configuration = configuration
        addresses = try ListenAddress.list(configuration.listen)
        for (text, address) in addresses where configuration.audience == .admins {
            guard configuration.mayTakeCommands(at: address) else {
                throw .badAddress(text, why: "commands are only taken on a Unix socket, unix:/path")
            }
        }
        secrets = try ListenerSecrets(configuration)
        let access = try GatewayRules.Access(configuration, authority: secrets.authority)
        engine = EngineClient(
            directory: directory, control: control, rules: GatewayRules(access), configuration,
            metrics: configuration.metrics ?? GatewayMetrics())
    }

    /// The bound addresses; empty unless the gateway runs.
    public var listening: [String] { running?.listeners.map(\.text) ?? [] }

    /// The addresses of ``listening`` that speak TLS.
    public var secured: Set<String> {
        Set((running?.listeners ?? []).filter { $0.state.security != nil }.map(\.text))
    }

    /// The shortages of the last two minutes.
    public var shortages: [GatewayShortage] { running?.room.recentShortages ?? [] }

    /// The number of network threads; 0 unless the gateway runs.
    public var threads: Int { running?.loops.count ?? 0 }

    /// The number of open connections, idle ones included.
    public var connections: Int { running?.room.count ?? 0 }

    var running: Running? {
        state.withLock { if case .running(let running) = $0 { running } else { nil } }
    }

    /// Replaces the listeners. False if the gateway doesn't run any more.
    func setListeners(
        _ listeners: [Listener], of configuration: GatewayConfiguration, _ secrets: ListenerSecrets
    ) -> Bool {
        state.withLock { state in
            guard case .running(var running) = state else { return false }
            running.listeners = listeners
            running.configuration = configuration
            running.certificateEnds = secrets.ends
            state = .running(running)
            return true
        }
    }

    /// Listens on all addresses, or throws and listens on none. Returns the bound addresses in the order of
    /// the configuration. Blocks while they are bound.
    ///
    /// - Parameter left: Addresses that another gateway leaves. On these no connection is accepted before
    ///   ``takeOver()``.
    public func start(taking left: LeftAddresses = .none) throws(GatewayError) -> [String] {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        guard isFirst else { throw .alreadyStarted }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.usedThreads)
        let room = ConnectionRoom(configuration)
        let loops = group.makeIterator().map { eventLoop in
            // From here on the state belongs to the loop. No other code has used it yet.
            let (engine, configuration) = (engine, configuration)
            return eventLoop.submit {
                NIOLoopBound(
                    GatewayLoop(
                        eventLoop: eventLoop, engine: engine, configuration: configuration, room: room),
                    eventLoop: eventLoop)
            }
        }.compactMap { try? $0.wait() }
        var running = Running(
            group: group, loops: loops, room: room, listeners: [], configuration: configuration,
            certificateEnds: secrets.ends)
        for (text, address) in addresses {
            do throws(GatewayError) {
                running.listeners.append(
                    try bind(address, text, configuration, secrets, running, left))
            } catch {
                for listener in running.listeners { listener.close() }
                try? group.syncShutdownGracefully()
                state.withLock { $0 = .stopped }
                throw error
            }
        }
        let started = running
        state.withLock { $0 = .running(started) }
        return running.listeners.map(\.text)
    }

    func bind(
        _ address: ListenAddress, _ text: String, _ update: GatewayConfiguration, _ secrets: ListenerSecrets,
        _ running: Running, _ left: LeftAddresses
    ) throws(GatewayError) -> Listener {
        try Listener.bind(
            address, text: text, mode: configuration.audience == .admins ? 0o600 : update.socketModes[text],
            security: secrets.security(of: text), group: running.group, loops: running.loops,
            room: running.room, inherited: update.inheritedSockets["\(address)"],
            shared: update.sharedSockets["\(address)"],
            former: left.listener(at: address))
    }

    /// Stops listening, lets requests under way finish for this many seconds, then closes everything.
    ///
    /// - Returns: What did not end by itself.
    @discardableResult
    public func stop(drain seconds: Double = 5) async -> GatewayCut {
        let running: Running? = state.withLock { state in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return GatewayCut() }
        for listener in running.listeners { listener.close(running.loops) }
        let deadline = TimeAmount.nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9))
        let drains = running.loops.map { loop in
            loop.eventLoop.flatSubmit {
                let drained = loop.value.drain()
                let closing = loop.eventLoop.scheduleTask(in: deadline) { loop.value.closeAll() }
                return drained.always { _ in closing.cancel() }
            }
        }
        for drain in drains { try? await drain.get() }
        var cut = GatewayCut()
        for loop in running.loops {
            cut += (try? await loop.eventLoop.submit { loop.value.cut }.get()) ?? GatewayCut()
        }
        for loop in running.loops { try? await loop.eventLoop.submit { loop.value.mailbox.close() }.get() }
        try? await running.group.shutdownGracefully()
        return cut
    }

    /// Lets the time of this number of sweeps pass for each connection's timeouts; for tests.
    func sweep(times: Int) async {
        for loop in running?.loops ?? [] {
            try? await loop.eventLoop.submit { for _ in 0..<times { loop.value.sweep() } }.get()
        }
    }
}

/// The numbers of requests and of streams of events that the end of a gateway cut off.
public struct GatewayCut: Sendable, Equatable {
    public var requests = 0
    public var streams = 0

    public init() {}

    static func += (sum: inout GatewayCut, other: GatewayCut) {
        sum.requests += other.requests
        sum.streams += other.streams
    }
}
