import DequeModule
import Platform
import Synchronization

/// The isolation of all state of the engine: services, resources, requests, the script's main Lua state and
/// the transport's handles. It runs on one thread, `EngineLoop`.
@globalActor
public actor EngineActor {
    public static let shared = EngineActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        EngineLoop.shared.asUnownedSerialExecutor()
    }

    /// Runs `body` immediately. The current thread must be the engine loop's; otherwise the process stops
    /// with a message that names both threads. For callbacks of C libraries, whose isolation the compiler
    /// can't know.
    public static func assumeIsolated<Result>(
        _ body: @EngineActor () throws -> Result
    ) rethrows -> Result {
        EngineLoop.shared.checkIsolated()
        return try withoutActuallyEscaping(body) { body in
            // The types differ only in isolation, which was checked above; the standard library implements
            // the same call for its main actor in this way.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }

    /// Runs `body` on the engine loop and waits for its result.
    public static func run<Result: Sendable>(
        _ body: @EngineActor () throws -> Result
    ) async rethrows -> Result {
        try await body()
    }
}

/// The one thread that owns engine, main Lua state and transport.
///
/// A pass of the loop takes the work that other threads sent and runs it for at most ten milliseconds, runs a
/// tick of each scheduler, and waits in the poller, which delivers network events when it wakes. Work from
/// other threads wakes the poller once per batch; work from the loop itself does not wake it.
package final class EngineLoop: SerialExecutor, Sendable {
    /// The process has one loop.
    package static let shared = EngineLoop()

    private enum Work {
        case job(UnownedJob)
        case call(@Sendable @EngineActor () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Runs before all other work.
        var urgent: [Work] = []
        /// True while the loop waits in its poller, or is about to: a thread that then appends work must wake
        /// it, once.
        var isParked = false
        var poller: any Poller = ParkingPoller()

        var hasWork: Bool { !work.isEmpty || !urgent.isEmpty }
    }

    private let inbox = Mutex(Inbox())
    private let thread = LoopThread(name: "engine loop")

    private init() {
        thread.start { [unowned self] in EngineLoop.run(self) }
    }

    // MARK: Sending work, any thread

    package func enqueue(_ job: consuming ExecutorJob) {
        send(.job(UnownedJob(job)))
    }

    /// Runs `call` on the loop, in a later pass. The order of calls from one thread is kept.
    package func submit(_ call: @escaping @Sendable @EngineActor () -> Void) {
        send(.call(call))
    }

    /// The same, before all other waiting work: for short probes that check whether the loop is alive.
    package func submitUrgent(_ call: @escaping @Sendable @EngineActor () -> Void) {
        send(.call(call), isUrgent: true)
    }

    private func send(_ work: Work, isUrgent: Bool = false) {
        let sleeping: (any Poller)? = inbox.withLock { inbox in
            if isUrgent { inbox.urgent.append(work) } else { inbox.work.append(work) }
            guard inbox.isParked else { return nil }
            inbox.isParked = false
            return inbox.poller
        }
        sleeping?.wake()
    }

    /// Whether no work that other threads sent waits.
    package var isEmpty: Bool { inbox.withLock { !$0.hasWork } }

    // MARK: Isolation

    /// True on the loop's own thread.
    package var isCurrent: Bool { thread.isCurrent }

    package func checkIsolated() {
        guard !thread.isCurrent else { return }
        Misuse.wrongThread(
            what: "engine state",
            owner: "\(thread.description); use 'await', EngineActor.run or EngineLoop.submit to get there")
    }

    package func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    // MARK: The loop

    /// Replaces the poller of the loop; a transport calls this once, when it starts.
    @EngineActor
    package func install(_ poller: any Poller) {
        let old = inbox.withLock { inbox in
            defer { inbox.poller = poller }
            return inbox.poller
        }
        // The current pass would still wait in the old poller, which no longer gets any wake-up.
        old.wake()
    }

    /// Seconds in a pass for work from other threads; the rest runs after the schedulers and the poller.
    private static let slice = 0.01

    private static func run(_ loop: EngineLoop) {
        var left: Deque<Work> = []
        while true {
            let (urgent, work, poller) = loop.inbox.withLock { inbox in
                inbox.isParked = false
                let taken = (inbox.urgent, inbox.work, inbox.poller)
                (inbox.urgent, inbox.work) = ([], [])
                return taken
            }
            left.append(contentsOf: work)
            for item in urgent { loop.perform(item) }
            let end = ClockReading.uptime + slice
            while let item = left.popFirst() {
                loop.perform(item)
                if ClockReading.uptime > end { break }
            }
            // This function runs on the loop's thread, which is the engine's isolation.
            let wait = EngineActor.assumeIsolated { SchedulerList.shared.runPass(isLast: left.isEmpty) }
            let isBusy = wait == 0 || !left.isEmpty || loop.inbox.withLock { $0.hasWork }
            // The loop is not marked as parked here: work that arrives meanwhile is found before the wait, so
            // no wake-up is needed.
            if poller.handle(polling: isBusy) || isBusy { continue }
            let mayPark = loop.inbox.withLock { inbox in
                inbox.isParked = !inbox.hasWork
                return inbox.isParked
            }
            if mayPark { poller.wait(milliseconds: wait) }
        }
    }

    private func perform(_ work: Work) {
        // This runs on the loop's thread, which is the engine's isolation.
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .call(let call): EngineActor.assumeIsolated { call() }
        }
    }
}

/// A named thread with a large stack, for scripts; it knows whether it is the current thread.
final class LoopThread: Sendable {
    let name: String
    private let identity = Atomic<UInt>(0)

    init(name: String) { self.name = name }

    /// Starts the thread; `isCurrent` works on it before `body` is called.
    func start(_ body: @escaping @Sendable () -> Void) {
        NamedThread.startOrStop(name: name, stackBytes: NamedThread.scriptStackBytes) { [self] in
            identity.store(NamedThread.currentIdentity, ordering: .releasing)
            body()
        }
    }

    var isCurrent: Bool { identity.load(ordering: .acquiring) == NamedThread.currentIdentity }

    var description: String { "'\(name)' (\(identity.load(ordering: .relaxed)))" }
}
