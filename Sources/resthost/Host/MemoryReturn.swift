import CPlatform
import Platform
import RestEngine

/// Gives freed memory back to the system while the host runs: what a large body, a script that ran out of
/// memory or a wipe left would stay with the process otherwise.
///
/// A thread of its own looks once a second at how much memory is resident, and asks the C library for what is
/// free in it when that is a good deal more than the host began with. Whoever allocates in the same arena
/// meanwhile waits: a quarter of a millisecond for each MiB that goes (measured), so it is done early, and
/// rarely where it takes long.
struct MemoryReturn {
    /// Less than this above the start isn't worth a look.
    private static let slack = 2 << 20
    /// Seconds between two attempts after one that gave much back, and after one that didn't: what is
    /// resident is used.
    private static let intervals = (useful: 2.0, useless: 5.0)
    /// No more than this part of the time is spent on it.
    private static let share = 0.01

    private var start: Int
    private var dueAt = 0.0
    /// Processor time of the process when it was last asked for; nothing is freed by one that does nothing.
    private var ticks = 0.0

    private init(start: Int) { self.start = start }

    /// Where the system says how much is resident.
    static func begin() {
        guard let bytes = ProcessMemory.residentBytes else { return }
        NamedThread.startOrStop(name: "memory return") {
            var memory = MemoryReturn(start: bytes)
            while true {
                sleep(1)
                memory.look()
            }
        }
    }

    private mutating func look() {
        guard let before = ProcessMemory.residentBytes else { return }
        start = min(start, before)
        let now = ClockReading.seconds(of: CLOCK_MONOTONIC)
        guard before > start + start / 16 + Self.slack, now >= dueAt else { return }
        let used = ClockReading.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        guard used - ticks > 0.002 else { return }
        cplatform_give_back_freed_memory()
        let took = ClockReading.seconds(of: CLOCK_MONOTONIC) - now
        EngineLoop.shared.submit { cplatform_give_back_end_of_arena() }
        let given = before - (ProcessMemory.residentBytes ?? before)
        dueAt =
            now + max(given > before / 16 ? Self.intervals.useful : Self.intervals.useless, took / Self.share)
        ticks = ClockReading.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
    }
}
