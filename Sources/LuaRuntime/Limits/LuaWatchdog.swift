import Platform
import Synchronization

/// Looks, from a thread of its own, for runs of scripts that don't come back.
///
/// A budget ends a script at its next step, and the library functions look at it while they work. A host
/// function that hangs does neither, and nothing can end it from outside, but ``LuaOptions/onHang`` reports
/// it.
public final class LuaWatchdog: Sendable {
    public static let shared = LuaWatchdog()

    /// A run is hung after this many times its limit: a busy machine may give it less than a processor.
    private static let factor: Double = 4

    fileprivate struct Entry {
        let watch: RunWatch
        var last: RunStatus.Reading
        /// When that reading was first seen.
        var since: Double
        /// CPU time of the thread then.
        var usedBefore: Double?
        var isReported = false
    }

    private struct Content {
        var entries: [Entry] = []
        var isRunning = false
        var isHeldBack = false
        var hangs = 0

        mutating func mayStart(_ interval: Double?) -> Bool {
            guard interval != nil, !isRunning, !isHeldBack else { return false }
            isRunning = true
            return true
        }
    }

    private let content = Mutex(Content())
    /// Seconds between two looks; nil: the owner calls `look`.
    private let interval: Double?
    /// No run is hung sooner.
    private let leastSeconds: Double

    /// - Parameters:
    ///   - interval: seconds between two looks.
    ///   - leastSeconds: no run is hung sooner than that, however short its limit.
    public convenience init(interval: Double = 0.25, leastSeconds: Double = 1) {
        self.init(lookingEvery: interval, leastSeconds: leastSeconds)
    }

    /// Nil: the owner calls `look`.
    init(lookingEvery interval: Double?, leastSeconds: Double = 1) {
        self.interval = interval
        self.leastSeconds = leastSeconds
    }

    /// Runs that were found hung so far.
    public var hangs: Int { content.withLock { $0.hangs } }

    /// The phase of the run that goes on at this moment, "job" say, and of several the one that began first.
    /// Any thread may ask.
    public var runningPhase: String? {
        content.withLock { content in
            let running = content.entries.filter { $0.watch.status.read().isRunning }
            return running.min { $0.since < $1.since }.map { $0.watch.status.read().phase }
        }
    }

    func add(_ watch: RunWatch) {
        let starts = content.withLock { content in
            content.entries.append(
                Entry(watch: watch, last: watch.status.read(), since: ClockReading.uptime))
            return content.mayStart(interval)
        }
        if starts { start() }
    }

    /// Starts no thread until ``begin()``: for a program that may have ended before anything could be hung.
    package func holdBack() { content.withLock { $0.isHeldBack = true } }

    /// Looks at what has come meanwhile, and comes from now on.
    package func begin() {
        let starts = content.withLock { content in
            content.isHeldBack = false
            return !content.entries.isEmpty && content.mayStart(interval)
        }
        if starts { start() }
    }

    private func start() {
        // Without a thread nothing is watched; other users of threads report the shortage.
        _ = NamedThread.start(name: "lua watchdog") { self.watch() }
    }

    func remove(_ watch: RunWatch) {
        content.withLock { content in content.entries.removeAll { $0.watch === watch } }
    }

    /// Looks every so often, as long as there is anything to look at.
    func watch() {
        guard let interval else { return }
        while content.withLock({ content in
            content.isRunning = !content.entries.isEmpty
            return content.isRunning
        }) {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(interval * 1e9))
            nanosleep(&pause, nil)
            look(at: ClockReading.uptime)
        }
    }

    /// Compares each state with how it was at the last look.
    func look(at now: Double) {
        let news = content.withLock { content in
            var news: [(RunWatch, LuaHang)] = []
            for index in content.entries.indices {
                let asksSystem = interval != nil
                if let found = content.entries[index].look(at: now, asksSystem: asksSystem, timeout) {
                    news.append(found)
                    if !found.1.isOver { content.hangs += 1 }
                }
            }
            return news
        }
        for (watch, hang) in news { watch.notify(hang) }
    }

    /// Seconds that a run with this limit may last.
    private func timeout(_ limit: Double) -> Double { max(limit * Self.factor, leastSeconds) }
}

extension LuaWatchdog.Entry {
    fileprivate mutating func look(
        at now: Double, asksSystem: Bool, _ timeout: (Double) -> Double
    ) -> (RunWatch, LuaHang)? {
        let reading = watch.status.read()
        guard reading.sequence == last.sequence else {
            let ended = isReported ? hang(at: now, isOver: true) : nil
            (last, since, isReported) = (reading, now, false)
            usedBefore = asksSystem && reading.isRunning ? watch.usage()?.seconds : nil
            return ended.map { (watch, $0) }
        }
        guard reading.isRunning, !isReported, let limit = reading.limit else { return nil }
        guard now - since >= timeout(limit), !isStarved(limit) else { return nil }
        isReported = true
        return (watch, hang(at: now, isOver: false))
    }

    /// A thread that would run and gets no processor hangs in nothing: its budget will end it. One that waits
    /// for something else, or has used more than its time, does.
    private func isStarved(_ limit: Double) -> Bool {
        guard let usedBefore, let usage = watch.usage() else { return false }
        return usage.wantsProcessor && usage.seconds - usedBefore < 2 * limit + 0.1
    }

    private func hang(at now: Double, isOver: Bool) -> LuaHang {
        LuaHang(
            phase: last.phase, seconds: now - since, limit: last.limit ?? 0, isOver: isOver,
            run: (watch.status, last.sequence))
    }
}

/// A run that should have ended long ago: it is in a native call that looks at no budget. Its thread can't be
/// helped; a state that has such a thread to itself can be given up.
public struct LuaHang: Sendable, Equatable {
    /// The kind of run: "transformer".
    public let phase: String
    /// For how long, at least.
    public let seconds: Double
    /// CPU seconds that it may take.
    public let limit: Double
    /// It has come back after all.
    public let isOver: Bool
    /// The run that it is about; nil in tests.
    private let run: (status: RunStatus, sequence: UInt64)?

    package init(phase: String, seconds: Double, limit: Double, isOver: Bool) {
        self.init(phase: phase, seconds: seconds, limit: limit, isOver: isOver, run: nil)
    }

    init(
        phase: String, seconds: Double, limit: Double, isOver: Bool,
        run: (status: RunStatus, sequence: UInt64)?
    ) {
        self.phase = phase
        self.seconds = seconds
        self.limit = limit
        self.isOver = isOver
        self.run = run
    }

    /// The run has come to no end since this was found. Any thread.
    var isStillOn: Bool { run.map { $0.status.read().sequence == $0.sequence } ?? !isOver }

    public static func == (one: LuaHang, other: LuaHang) -> Bool {
        one.phase == other.phase && one.seconds == other.seconds && one.limit == other.limit
            && one.isOver == other.isOver
    }
}
