internal import Platform
internal import RestEngine

/// How much of a processor the engine loop takes, and what follows for new transfers.
///
/// While the loop is full and a whole processor is left, they run on ``TransferThread``: what scripts take
/// of the loop is then all that it has to do. Else they run on the loop, which spares both their ways to
/// another thread. Where the transfers are the larger part of the work, nothing is gained by moving it.
struct LoopLoad {
    /// New transfers are better off elsewhere.
    private(set) var isFull = false

    /// A loop is full above the first part of the time, and no more below the second.
    static let (full, free) = (0.85, 0.25)
    /// The part of a full loop's time that transfers take at most when they get a thread: with more, the
    /// thread would have more to do than the loop.
    static let mostForTransfers = 0.5
    /// Processors, beside that of the loop, which the process leaves to others, at least, when its transfers
    /// get a thread. A gateway that is asked by many takes more of the second of two: then all that is to be
    /// done fills both, and ways between threads are more of it.
    static let left = 0.95
    /// Seconds over which the time of processors is looked at.
    static let window = 0.02
    /// Windows in a row that a loop has to be full, so that the gateway's rest for a moment is no reason.
    static let fullWindows = 3
    /// Seconds that a loop keeps its transfers after they were better off there.
    static let rest = 1.0

    /// Asked for when a loop is full: the system has to be asked in turn.
    private let processors: () -> Int
    private var last: Reading?
    private var windows = 0
    private var restsUntil = 0.0

    /// What was taken of processors by a time on the clock that never jumps, in seconds.
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
    }

    /// - Parameter processors: That this process may use.
    init(processors: @autoclosure @escaping () -> Int = MachineProcessors.current.count) {
        self.processors = processors
    }

    /// A pass of the loop. `reading` is asked for where a window is over.
    mutating func note(at now: Double, _ reading: (Double) -> Reading) {
        guard last.map({ now - $0.time >= Self.window }) ?? true else { return }
        let reading = reading(now)
        defer { last = reading }
        guard let last else { return }
        let seconds = reading.time - last.time
        let loop = (reading.loop - last.loop) / seconds
        if isFull {
            let transfers = (reading.transfers - last.transfers) / seconds
            guard loop <= max(transfers, Self.free) else { return }
            isFull = false
            windows = 0
            restsUntil = now + Self.rest
        } else {
            let process = (reading.process - last.process) / seconds
            let performing = (reading.performing - last.performing) / seconds
            let counts =
                now >= restsUntil && loop > Self.full && performing < loop * Self.mostForTransfers
                && Double(processors()) - 1 - (process - loop) > Self.left
            windows = counts ? windows + 1 : 0
            isFull = windows == Self.fullWindows
        }
    }
}
