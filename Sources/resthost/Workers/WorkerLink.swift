import Gateway
import Platform
import RestEngine

/// The connection of a worker to its supervisor.
@EngineActor
final class WorkerLink {
    /// The supervisor gets it when this process takes its first orders.
    nonisolated let start: WorkerStart
    private nonisolated let orders: MessageSocket
    private nonisolated let requests: MessageSocket
    /// The listening sockets, by the names that the supervisor knows them by.
    private var sockets: [String: Int32] = [:]
    /// The names that the running version uses, and those that were asked for since.
    private var used: Set<String> = []
    private var wanted: Set<String> = []
    /// The names of the sockets for commands, which no reload changes.
    private var fixed: Set<String> = []
    private var reloads: [Int: @EngineActor (Result<RunControl.Loaded, RunControl.NotLoaded>) -> Void] = [:]
    private var lastReload = 0

    private nonisolated init(_ start: WorkerStart, _ orders: MessageSocket, _ requests: MessageSocket) {
        (self.start, self.orders, self.requests) = (start, orders, requests)
    }

    var worker: WorkerNumber { start.worker }

    /// The link, if a supervisor started this process. It waits for the supervisor's first message.
    nonisolated static func ofThisProcess() -> WorkerLink? {
        guard getenv(WorkerProcess.variable) != nil else { return nil }
        unsetenv(WorkerProcess.variable)
        let orders = MessageSocket(WorkerProcess.ordersDescriptor)
        let requests = MessageSocket(WorkerProcess.socketsDescriptor)
        guard let first = try? orders.receive(), case .begin(let start)? = WorkerOrder(first.message) else {
            return nil
        }
        return WorkerLink(start, orders, requests)
    }

    // MARK: Orders and reports

    /// Hands all orders to a function, and calls `onEnd` when the supervisor has ended.
    func follow(
        _ take: @escaping @Sendable @EngineActor (WorkerOrder) -> Void,
        onEnd: @escaping @Sendable @EngineActor () -> Void
    ) {
        let orders = orders
        NamedThread.startOrStop(name: "supervisor") {
            while let message = try? orders.receive(), let order = WorkerOrder(message.message) {
                EngineLoop.shared.submit { take(order) }
            }
            EngineLoop.shared.submit { onEnd() }
        }
    }

    /// A supervisor that has ended gets nothing. The end of its connection is noticed elsewhere.
    nonisolated func report(_ report: WorkerReport) { try? orders.send(report.message) }

    /// Asks the supervisor for a reload of all workers.
    func reload(
        _ completion: @escaping @EngineActor (Result<RunControl.Loaded, RunControl.NotLoaded>) -> Void
    ) {
        lastReload += 1
        reloads[lastReload] = completion
        report(.wantsReload(id: lastReload))
    }

    func note(_ id: Int, generation: Int, seconds: Double, failure: Tree?) {
        guard let completion = reloads.removeValue(forKey: id) else { return }
        if let failure {
            let report = FailureReport(failure, message: failure["message"]?.string ?? "it failed")
            completion(.failure(.init(report: report, generation: generation)))
        } else {
            completion(.success(.init(generation: generation, seconds: seconds)))
        }
    }

    // MARK: Sockets

    /// The listening sockets for addresses, by the form of ``ListenAddress``.
    ///
    /// - Parameter role: Distinguishes addresses of different gateways whose port the system chooses.
    func sockets(
        for configuration: GatewayConfiguration, role: String
    ) throws(GatewayError) -> [String: SharedSocket] {
        var found: [String: SharedSocket] = [:]
        for text in configuration.listen {
            // The gateway reports an address that is none.
            guard let address = try? ListenAddress(text) else { continue }
            var name = "\(address)"
            if case .ip(_, 0) = address { name = "\(role) \(address)" }
            let mode = configuration.audience == .admins ? 0o600 : configuration.socketModes[text]
            if configuration.audience == .admins { fixed.insert(name) } else { wanted.insert(name) }
            let socket = try socket(name, address, mode, text)
            found["\(address)"] = SharedSocket(
                descriptor: socket, bound: ServiceManager.address(of: socket) ?? text)
        }
        return found
    }

    private func socket(
        _ name: String, _ address: ListenAddress, _ mode: Int?, _ text: String
    ) throws(GatewayError) -> Int32 {
        if let known = sockets[name] { return known }
        var pairs: [(String, Tree)] = [("name", Tree(name)), ("address", Tree("\(address)"))]
        if let mode { pairs.append(("mode", Tree(mode))) }
        let answer: (message: MessageSocket.Message, passed: Int32)
        do throws(MessageSocket.Fault) {
            try requests.send(.init(head: Tree(pairs: pairs)))
            answer = try requests.receive()
        } catch { throw .cannotListen(text, message: "the supervisor has ended") }
        let code = answer.message.head["code"]?.int.flatMap { Int32(exactly: $0) } ?? EIO
        guard answer.passed >= 0 else { throw .listening(at: text, code: code) }
        sockets[name] = answer.passed
        return answer.passed
    }

    /// The addresses that were asked for since the last call are the ones in use. The others are closed.
    func useWantedSockets() {
        (used, wanted) = (wanted.union(fixed), [])
        closeUnusedSockets()
    }

    /// The addresses that were asked for since are not needed.
    func forgetWantedSockets() {
        wanted = []
        closeUnusedSockets()
    }

    private func closeUnusedSockets() {
        for (name, socket) in sockets where !used.contains(name) {
            close(socket)
            sockets[name] = nil
        }
        try? requests.send(.init(head: ["uses": Tree(used.sorted().map { Tree($0) })]))
    }
}
