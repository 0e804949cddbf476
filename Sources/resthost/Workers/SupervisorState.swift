import RestEngine

/// Decides what a supervisor does with its workers: events in, actions out.
///
/// A reload is a round in two phases. In the first, one worker reads the new version from the disk and gives
/// it up again, then all others do the same with its texts. Only when all can load it do all load it for
/// good.
struct SupervisorState {
    enum Action: Equatable {
        /// Start the process of a worker.
        case start(Int)
        /// Call ``startIsDue(_:)`` so many seconds later.
        case startLater(Int, seconds: Double)
        case tryLoad(Int, round: Int, readsDisk: Bool)
        case reload(Int, round: Int, ReloadTrigger)
        /// The round has ended. Without a failure the new version runs, and its texts are the ones for new
        /// workers.
        case roundEnded(ReloadTrigger, failure: Tree?, Set<Client>)
        /// End a worker with its drain time, or at once.
        case stop(Int)
        case kill(Int)
        /// All workers serve for the first time.
        case isUp
        case exit(Int32)
        case log(String)
    }

    /// A client of a worker that waits for the result of a reload.
    struct Client: Hashable, Sendable {
        var worker: Int
        var id: Int
    }

    private struct Slot {
        enum Phase { case absent, starting, running }

        var phase = Phase.absent
        var startedAt = 0.0
        /// Ends in a row, each soon after the start.
        var failures = 0
        var hasRun = false
        /// The code with which the worker said that it ends.
        var announcedCode: Int32?
        var isDue = false
    }

    private struct Round {
        enum Phase { case first, others, loading }

        var phase = Phase.first
        var trigger: ReloadTrigger
        var clients: Set<Client>
        /// The workers that have not answered.
        var waiting: Set<Int> = []
    }

    /// A worker that ends within so many seconds of its start has failed at the start.
    static let shortLife = 10.0
    /// Seconds before the next start after the second failure, doubled each time, and at most.
    static let firstPause = 0.1
    static let longestPause = 5.0

    let count: Int
    private var slots: [Int: Slot] = [:]
    private var round: Round?
    private(set) var roundNumber = 0
    private var queued: (trigger: ReloadTrigger, clients: Set<Client>)?
    private(set) var generation = 1
    private(set) var isUp = false
    private(set) var isLeaving = false
    private var exitCode: Int32 = 0

    init(count: Int) { self.count = count }

    /// The numbers of the workers that serve, in order.
    var running: [Int] { slots.filter { $0.value.phase == .running }.keys.sorted() }

    var isReloading: Bool { round != nil }

    func hasRun(_ number: Int) -> Bool { slots[number]?.hasRun ?? false }

    // MARK: Events

    mutating func begin(at now: Double) -> [Action] { [start(1, at: now)] }

    mutating func isReady(_ number: Int, at now: Double) -> [Action] {
        guard var slot = slots[number], slot.phase == .starting else { return [] }
        slot.phase = .running
        let isSuccessor = slot.hasRun
        slot.hasRun = true
        slots[number] = slot
        guard isUp else {
            if number == 1, count > 1, !isSuccessor {
                return (2...count).map { start($0, at: now) }
            }
            guard running.count == count else { return [] }
            isUp = true
            return [.isUp] + nextRound()
        }
        return (isSuccessor ? [.log("worker \(number) serves again")] : []) + nextRound()
    }

    /// A worker said that it ends by itself.
    mutating func isEnding(_ number: Int, code: Int32) { slots[number]?.announcedCode = code }

    mutating func ended(_ number: Int, _ end: WorkerEnd, at now: Double) -> [Action] {
        guard var slot = slots[number], slot.phase != .absent else { return [] }
        let (wasRunning, announced) = (slot.phase == .running, slot.announcedCode)
        slot.phase = .absent
        slot.announcedCode = nil
        let livedShortly = now - slot.startedAt < Self.shortLife
        slot.failures = livedShortly ? slot.failures + 1 : 1
        slots[number] = slot
        if isLeaving {
            if case .code(let code) = end { exitCode = max(exitCode, code) }
            return exitIfAlone()
        }
        // The first start of all has failed, and the worker has said why.
        if number == 1, !slot.hasRun { return leave(code: end.exitCode) }
        // The script has no more work.
        if number == 1, wasRunning, let announced { return leave(code: announced) }
        var actions: [Action] = [.log("worker \(number) \(end.text): \(Self.plan(slot))")]
        actions += takeFromRound(number, at: now)
        let pause = Self.pause(slot.failures)
        if pause > 0 { return actions + [.startLater(number, seconds: pause)] + nextRound() }
        return actions + startIsDue(number, at: now)
    }

    /// Starts a worker, or keeps that for the end of a reload: a new worker needs to know its version.
    mutating func startIsDue(_ number: Int, at now: Double) -> [Action] {
        guard !isLeaving, slots[number]?.phase == .absent else { return [] }
        guard round == nil else {
            slots[number]?.isDue = true
            return []
        }
        return [start(number, at: now)]
    }

    mutating func wantsReload(_ trigger: ReloadTrigger, by client: Client? = nil) -> [Action] {
        let clients: Set<Client> = client.map { [$0] } ?? []
        if isLeaving {
            let failure: Tree = ["message": "the host is about to end"]
            return clients.isEmpty ? [] : [.roundEnded(trigger, failure: failure, clients)]
        }
        queued = (trigger.merged(with: queued?.trigger), clients.union(queued?.clients ?? []))
        return nextRound()
    }

    mutating func tried(
        _ number: Int, round answered: Int, failure: Tree?, at now: Double
    ) -> [Action] {
        guard answered == roundNumber, var current = round, current.phase != .loading,
            current.waiting.remove(number) != nil
        else { return [] }
        if let failure { return endRound(failure, at: now) }
        round = current
        return advance(at: now)
    }

    mutating func reloaded(_ number: Int, round answered: Int, failure: Tree?, at now: Double) -> [Action] {
        guard answered == roundNumber, round?.phase == .loading, round?.waiting.remove(number) != nil else {
            return []
        }
        // It has the old version, and its successor will have the new one.
        let actions: [Action] =
            failure == nil
            ? []
            : [
                .log("worker \(number) could load the new version only once: a new one starts"),
                .kill(number),
            ]
        return actions + advance(at: now)
    }

    /// The round takes too long.
    mutating func roundIsLate(_ number: Int, at now: Double) -> [Action] {
        guard number == roundNumber, let current = round else { return [] }
        let late = current.waiting.sorted()
        if current.phase == .loading {
            round?.waiting = []
            return late.map { .kill($0) } + advance(at: now)
        }
        let names = late.map { "\($0)" }.joined(separator: ", ")
        return endRound(["message": Tree("no answer came in time from worker \(names)")], at: now)
    }

    /// The host ends. All workers end, and then the supervisor.
    mutating func leave(code: Int32 = 0) -> [Action] {
        guard !isLeaving else { return [] }
        isLeaving = true
        exitCode = max(exitCode, code)
        round = nil
        queued = nil
        let alive = slots.filter { $0.value.phase != .absent }.keys.sorted()
        return alive.map { .stop($0) } + exitIfAlone()
    }

    // MARK: Workers

    private mutating func start(_ number: Int, at now: Double) -> Action {
        var slot = slots[number] ?? Slot()
        slot.phase = .starting
        slot.startedAt = now
        slot.isDue = false
        slots[number] = slot
        return .start(number)
    }

    private func exitIfAlone() -> [Action] {
        slots.values.allSatisfy { $0.phase == .absent } ? [.exit(exitCode)] : []
    }

    private static func pause(_ failures: Int) -> Double {
        guard failures > 1 else { return 0 }
        return min(longestPause, firstPause * Double(1 << min(failures - 2, 10)))
    }

    private static func plan(_ slot: Slot) -> String {
        let pause = pause(slot.failures)
        return pause == 0 ? "a new one starts" : "a new one starts in \(RunEnd.text(pause)) s"
    }

    // MARK: Rounds

    /// A worker that is starting has the version that runs now, so the round begins after it.
    private mutating func nextRound() -> [Action] {
        guard isUp, !isLeaving, round == nil, let queued, let first = running.first,
            !slots.values.contains(where: { $0.phase == .starting })
        else { return [] }
        self.queued = nil
        roundNumber += 1
        round = Round(trigger: queued.trigger, clients: queued.clients, waiting: [first])
        return [.tryLoad(first, round: roundNumber, readsDisk: true)]
    }

    /// Goes to the next phase when all workers have answered.
    private mutating func advance(at now: Double) -> [Action] {
        guard var current = round, current.waiting.isEmpty else { return [] }
        let number = roundNumber
        switch current.phase {
        case .first:
            current.phase = .others
            current.waiting = Set(running.dropFirst())
            round = current
            if current.waiting.isEmpty { return advance(at: now) }
            return current.waiting.sorted().map { .tryLoad($0, round: number, readsDisk: false) }
        case .others:
            current.phase = .loading
            current.waiting = Set(running)
            round = current
            generation += 1
            return running.map { .reload($0, round: number, current.trigger) }
        case .loading: return endRound(nil, at: now)
        }
    }

    private mutating func endRound(_ failure: Tree?, at now: Double) -> [Action] {
        guard let ended = round else { return [] }
        round = nil
        var actions: [Action] = [.roundEnded(ended.trigger, failure: failure, ended.clients)]
        for number in slots.filter({ $0.value.isDue }).keys.sorted() {
            actions.append(start(number, at: now))
        }
        return actions + nextRound()
    }

    /// A worker that ends while it tries the new version may have ended because of it.
    private mutating func takeFromRound(_ number: Int, at now: Double) -> [Action] {
        guard let current = round, current.waiting.contains(number) else { return [] }
        guard current.phase == .loading else {
            return endRound(
                ["message": Tree("worker \(number) ended while it loaded the new version")], at: now)
        }
        round?.waiting.remove(number)
        return advance(at: now)
    }
}
