import NIOCore
import NIOPosix
import Synchronization

/// HTTP in, engine, HTTP out: shows the resources of services to any program that speaks HTTP/1.1.
///
/// Its network threads answer fresh content by themselves; everything else is a message to the engine loop.
public final class Gateway: Sendable {
    private enum State {
        case idle
        case starting
        case running(Running)
        case stopped
    }

    private struct Running {
        let group: MultiThreadedEventLoopGroup
        let loops: [NIOLoopBound<GatewayLoop>]
        var listeners: [Listener]
    }

    private let configuration: GatewayConfiguration
    private let addresses: [(text: String, address: ListenAddress)]
    private let desk: EngineDesk
    private let state = Mutex(State.idle)

    /// Checks the configuration.
    public init(_ configuration: GatewayConfiguration, directory: any GatewayDirectory) throws(GatewayError) {
        self.configuration = configuration
        var addresses: [(text: String, address: ListenAddress)] = []
        for text in configuration.listen { addresses.append((text, try ListenAddress(text))) }
        self.addresses = addresses
        desk = EngineDesk(directory: directory, exposure: try Exposure(configuration.expose))
    }

    /// Listens on all addresses, or on none and throws. Returns the addresses as they are bound, in the order
    /// of the configuration.
    public func start() async throws(GatewayError) -> [String] {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        guard isFirst else { throw .alreadyStarted }
        let group = MultiThreadedEventLoopGroup(
            numberOfThreads: max(1, configuration.threads ?? System.coreCount))
        let openConnections = OpenConnections()
        var loops: [NIOLoopBound<GatewayLoop>] = []
        for eventLoop in group.makeIterator() {
            let (desk, configuration) = (desk, configuration)
            let loop = try? await eventLoop.submit {
                NIOLoopBound(
                    GatewayLoop(
                        eventLoop: eventLoop, desk: desk, configuration: configuration,
                        openConnections: openConnections), eventLoop: eventLoop)
            }.get()
            if let loop { loops.append(loop) }
        }
        var running = Running(group: group, loops: loops, listeners: [])
        for (text, address) in addresses {
            do throws(GatewayError) {
                running.listeners.append(
                    try await Listener.bind(address, text: text, group: group, loops: loops))
            } catch {
                for listener in running.listeners { await listener.close() }
                try? await group.shutdownGracefully()
                state.withLock { $0 = .stopped }
                throw error
            }
        }
        let bound = running.listeners.map(\.text)
        let started = running
        state.withLock { $0 = .running(started) }
        return bound
    }

    /// Stops listening, lets the requests that are under way finish for so many seconds, then closes
    /// everything.
    public func stop(drain seconds: Double = 5) async {
        let running: Running? = state.withLock { state in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return }
        for listener in running.listeners { await listener.close() }
        let deadline = TimeAmount.nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9))
        let drains = running.loops.map { loop in
            loop.eventLoop.flatSubmit {
                let drained = loop.value.drain()
                let closing = loop.eventLoop.scheduleTask(in: deadline) { loop.value.closeAll() }
                return drained.always { _ in closing.cancel() }
            }
        }
        for drain in drains { try? await drain.get() }
        for loop in running.loops { try? await loop.eventLoop.submit { loop.value.post.close() }.get() }
        try? await running.group.shutdownGracefully()
    }

    /// Lets as much of every client's patience pass as so many sweeps stand for; for tests.
    func sweep(times: Int) async {
        let running: Running? = state.withLock { if case .running(let running) = $0 { running } else { nil } }
        for loop in running?.loops ?? [] {
            try? await loop.eventLoop.submit { for _ in 0..<times { loop.value.sweep() } }.get()
        }
    }
}
