internal import Platform
internal import RestEngine
internal import Synchronization

/// A thread with transfers and connections of its own, for the time that the engine loop is full: what
/// libcurl and the system take of a transfer is then taken from another processor.
///
/// It starts with the first of them. The engine loop sends it commands; it sends back what ended, once for
/// each pass.
final class TransferThread: Sendable {
    static let shared = TransferThread()

    fileprivate enum Command: Sendable {
        case start(TransportRequest, CurlTransfer, TransferGauge, RemoteTransport)
        case abort(CurlTransfer)
        /// The progress of a transfer is read for the first time.
        case report
        /// The transport is gone, with its handles.
        case forget(ObjectIdentifier)
    }

    fileprivate struct Inbox {
        var commands: [Command] = []
        /// The thread waits, or is about to: an appended command must wake it, once.
        var isParked = false
        /// Nil until the thread runs.
        var wakeUp: WakeUp?
        var isStarted = false
    }

    fileprivate let inbox = Mutex(Inbox())
    private let usedNanoseconds = Atomic(0)

    /// Seconds of a processor that the thread has taken, as far as it has looked.
    var usedTime: Double { Double(usedNanoseconds.load(ordering: .relaxed)) / 1e9 }

    fileprivate func note(usedTime: Double) {
        usedNanoseconds.store(Int(usedTime * 1e9), ordering: .relaxed)
    }

    /// Commands are sent in the order of these calls.
    func start(
        _ request: TransportRequest, for transfer: CurlTransfer, _ gauge: TransferGauge,
        by transport: RemoteTransport
    ) {
        send(.start(request, transfer, gauge, transport))
    }

    /// After that, only results that are on their way already arrive.
    func abort(_ transfer: CurlTransfer) { send(.abort(transfer)) }

    /// Updates the gauges that are watched.
    func report() { send(.report) }

    var isStarted: Bool { inbox.withLock { $0.isStarted } }

    /// A thread that never ran has nothing to forget.
    func forget(_ transport: ObjectIdentifier) {
        if isStarted { send(.forget(transport)) }
    }

    private func send(_ command: Command) {
        let (sleeping, isFirst): (WakeUp?, Bool) = inbox.withLock { inbox in
            inbox.commands.append(command)
            let isFirst = !inbox.isStarted
            inbox.isStarted = true
            guard inbox.isParked else { return (nil, isFirst) }
            inbox.isParked = false
            return (inbox.wakeUp, isFirst)
        }
        if isFirst {
            NamedThread.startOrStop(name: "transfers") { [self] in RemoteTransfers(inbox: self).run() }
        }
        sleeping?()
    }
}

/// A transport as the thread knows it: its handles live as long as it does.
final class RemoteTransport: Sendable {
    let options: TransportOptions

    init(_ options: TransportOptions) { self.options = options }

    deinit { TransferThread.shared.forget(ObjectIdentifier(self)) }
}

/// The thread's own transfers and handles.
private final class RemoteTransfers {
    private let inbox: TransferThread
    private let transfers = TransferSet(isOfEngine: false)
    private var pools: [ObjectIdentifier: EasyHandlePool] = [:]
    private var lastLook = 0.0

    init(inbox: TransferThread) {
        self.inbox = inbox
        inbox.inbox.withLock { $0.wakeUp = transfers.wakeUp }
    }

    func run() {
        while true {
            let commands = inbox.inbox.withLock { inbox in
                inbox.isParked = false
                defer { inbox.commands = [] }
                return inbox.commands
            }
            for command in commands { take(command) }
            if transfers.hasNews { transfers.perform() }
            notify()
            look()
            let mayPark = inbox.inbox.withLock { inbox in
                inbox.isParked = inbox.commands.isEmpty
                return inbox.isParked
            }
            transfers.wait(milliseconds: mayPark ? -1 : 0)
        }
    }

    /// Notes the used time several times in a window of the loop.
    private func look() {
        guard transfers.time.now - lastLook >= LoopLoad.window / 4 else { return }
        lastLook = transfers.time.now
        inbox.note(usedTime: ClockReading.threadTime)
    }

    private func take(_ command: TransferThread.Command) {
        switch command {
        case .start(let request, let transfer, let gauge, let transport):
            do throws(TransportError) {
                let handle = try transfers.start(request, for: transfer, by: pool(of: transport))
                handle.gauge = gauge
            } catch {
                transfers.ended.append(TransferSet.Ended(transfer: transfer, result: .failure(error)))
            }
        case .abort(let transfer):
            if let handle = transfers.running.first(where: { $0.transfer === transfer }) {
                transfers.remove(handle)
            }
        case .report: break  // Each pass ends with it.
        case .forget(let transport): pools[transport] = nil
        }
    }

    private func pool(of transport: RemoteTransport) -> EasyHandlePool {
        if let pool = pools[ObjectIdentifier(transport)] { return pool }
        let pool = EasyHandlePool(options: transport.options, of: transfers)
        pools[ObjectIdentifier(transport)] = pool
        return pool
    }

    /// Reports ended transfers in the order of their ends, and the progress of the rest.
    private func notify() {
        for handle in transfers.running { handle.gauge?.note(handle.progress) }
        guard !transfers.ended.isEmpty else { return }
        let ended = transfers.ended
        transfers.ended = []
        EngineLoop.shared.submit { ended[...].notify() }
    }
}

extension ArraySlice<TransferSet.Ended> {
    /// The engine should go on with the first results before it gets the last ones, as the thread has no
    /// other work meanwhile.
    private static var slice: Double { 0.000_5 }

    @EngineActor
    fileprivate func notify() {
        let end = ClockReading.uptime + Self.slice
        for (index, one) in zip(indices, self) {
            one.transfer.take(one)
            guard ClockReading.uptime > end, index + 1 < endIndex else { continue }
            let rest = self[(index + 1)...]
            return EngineLoop.shared.submit { rest.notify() }
        }
    }
}
