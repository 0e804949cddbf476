internal import Platform
internal import RestEngine

/// How much of a processor the engine loop takes, and what follows for new transfers.
///
/// While the loop is full and a whole processor is left, they run on ``TransferThread``: what scripts take
/// of the loop is then all that it has to do. Where others have something to do on that processor, a part of
/// them does: with all the loop would wait for them, and for a processor. Else they run on the loop, which
/// spares both their ways to another thread. Where the transfers are the larger part of the work, nothing is
/// gained by moving it.
struct LoopLoad {
    enum Share: Equatable { case nothing, part, all }

    /// The share of new transfers that are better off on the other thread.
    private(set) var share = Share.nothing

    /// A loop is full above the first part of the time, and no more below the second.
    static let (full, free) = (0.85, 0.25)
    /// The part of a full loop's time that transfers take at most when they get a thread: with more, the
    /// thread would have more to do than the loop.
    static let mostForTransfers = 0.5
    /// Processors, beside that of the loop, which the other threads of the process leave at least, but for
    /// that of transfers, when it gets all, and when it gets a part.
    static let (leftForAll, leftForPart) = (0.95, 0.5)
    /// So much less is enough for a share that is there: a thread's time is reported a little later.
    static let margin = 0.1
    /// A part: so many of eight.
    static let part = 3
    /// Seconds over which the time of processors is looked at.
    static let window = 0.02
    /// Windows in a row that call for a share, so that the gateway's rest for a moment is no reason.
    static let windows = 3
    /// Seconds that a loop keeps its transfers after they were better off there.
    static let rest = 1.0

    /// Asked for when a loop is full: the system has to be asked in turn.
    private let processors: () -> Int
    private var last: Reading?
    /// The share that the last windows called for, and their number.
    private var wanted = (share: Share.nothing, windows: 0)
    private var restsUntil = 0.0
    private var round = 0

    /// The processor time taken up to a time on the clock that never jumps, in seconds.
    struct Reading {
        var time: Double
        /// By the loop's thread.
        var loop: Double
        /// Of that, for transfers.
        var performing: Double
        /// By that of transfers.
        var transfers: Double
        /// By all threads of the process.
        var process: Double

        /// On the loop's thread.
        static func current(at time: Double, performing: Double) -> Reading {
            Reading(
                time: time, loop: ClockReading.threadTime, performing: performing,
                transfers: TransferThread.shared.usedTime, process: ClockReading.processTime)
        }

        /// The time taken between another reading and this one, for each second.
        func rates(since other: Reading) -> Reading {
            let seconds = time - other.time
            return Reading(
                time: seconds, loop: (loop - other.loop) / seconds,
                performing: (performing - other.performing) / seconds,
                transfers: (transfers - other.transfers) / seconds,
                process: (process - other.process) / seconds)
        }
    }

    /// - Parameter processors: That this process may use.
    init(processors: @autoclosure @escaping () -> Int = MachineProcessors.current.count) {
        self.processors = processors
    }

    /// Whether the next transfer that may leave the loop does.
    mutating func nextLeaves() -> Bool {
        switch share {
        case .nothing: return false
        case .all: return true
        case .part:
            round = (round + 1) % 8
            return round < Self.part
        }
    }

    /// A pass of the loop. `reading` is asked for where a window is over.
    mutating func note(at now: Double, _ reading: (Double) -> Reading) {
        guard last.map({ now - $0.time >= Self.window }) ?? true else { return }
        let reading = reading(now)
        defer { last = reading }
        guard let last else { return }
        let rates = reading.rates(since: last)
        if share != .nothing, rates.loop <= max(rates.transfers, Self.free) {
            share = .nothing
            restsUntil = now + Self.rest
        }
        let called = share(by: rates, now)
        wanted = called == wanted.share ? (called, wanted.windows + 1) : (called, 1)
        if wanted.windows >= Self.windows { share = called }
    }

    /// The share that a window calls for.
    private func share(by rates: Reading, _ now: Double) -> Share {
        if share == .nothing {
            guard now >= restsUntil, rates.loop > Self.full,
                rates.performing < rates.loop * Self.mostForTransfers
            else { return .nothing }
        }
        let left = Double(processors()) - 1 - (rates.process - rates.loop - rates.transfers)
        if left > Self.leftForAll - (share == .all ? Self.margin : 0) { return .all }
        return left > Self.leftForPart - (share == .nothing ? 0 : Self.margin) ? .part : .nothing
    }
}
