import CPlatform
import Platform
import RestEngine

/// Returns freed memory to the system while the host runs. Without this, the memory of a large body, a failed
/// script or a wipe would stay with the process.
///
/// A thread checks once a second how much memory is resident. When that is much more than at the start, it
/// makes the C library return its free memory. Threads that allocate in the same arena then wait, a quarter
/// of a millisecond for each returned MiB (measured). So it is done early, and seldom when it takes long.
struct MemoryReturn {
    /// Less memory than this above the start is ignored.
    private static let slack = 2 << 20
    /// Seconds between two attempts, after one that returned much memory, and after one that did not because
    /// the memory is in use.
    private static let intervals = (useful: 2.0, useless: 5.0)
    /// The highest share of time that is spent on it.
    private static let share = 0.01

    private var start: Int
    private var dueAt = 0.0
    /// The processor time of the process at the last check. An idle process frees nothing.
    private var ticks = 0.0

    private init(start: Int) { self.start = start }

    /// Starts the thread if the system reports the resident memory.
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
