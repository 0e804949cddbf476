import Platform

/// The time of the current pass, and when the next time limit has to be looked at: shared by the poller and
/// the handles, whose callbacks run inside it. Engine loop only.
final class LoopTime {
    /// Seconds on a clock that never jumps; read once a pass, not once a chunk.
    private(set) var now: Double = 0
    /// No limit passes before this; it may be earlier than the first that does.
    private(set) var nextCheck = Double.infinity

    /// Counts the passes.
    private(set) var pass = 0
    /// Handles with more to do than one pass shall wait for.
    var resting: [EasyHandle] = []

    init() { update() }

    func beginPass() {
        pass += 1
        update()
    }

    func update() {
        now = ClockReading.uptime
    }

    func check(at deadline: Double) {
        if deadline < nextCheck { nextCheck = deadline }
    }

    /// Forgets the next check; whoever calls this looks at all limits and sets it again.
    func beginCheck() { nextCheck = .infinity }
}
