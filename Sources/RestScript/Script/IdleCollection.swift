import LuaRuntime
import Platform
import RestEngine

/// Collects what a script has left that now rests. Lua collects while a script allocates: without this, what
/// a burst of work left would stay until the next one, and with it the resources and content that its values
/// hold.
///
/// It begins some time after the state has grown, works on the engine loop in parts that nobody notices, and
/// takes no more than a small share of the loop's time however often a state grows.
@EngineActor
final class IdleCollection {
    /// Seconds from growth to the first part: a script at work collects for itself.
    private static let delay = 1.0
    /// Seconds for one part, and from its end to the next.
    private static let part = 0.001, pause = 0.004
    /// Of the loop's time, from one collection's end to the next one's beginning.
    private static let share = 0.05

    /// Called when everything has been collected. True: something else was let go of then, and is collected
    /// once more.
    var onEnd: (() -> Bool)?
    private var isSecond = false

    private weak var state: LuaState?
    private let scheduler: Scheduler
    /// Seconds that the collection under way has taken, or the last one took.
    private var spent = 0.0
    private var lastEnd = -Double.infinity

    /// Is told by the state when it grows, which keeps this alive.
    init(of state: LuaState, on scheduler: Scheduler) {
        self.state = state
        self.scheduler = scheduler
        state.onGrowth = onLoop { self.begin() }
    }

    private func begin() {
        let earliest = lastEnd + spent / Self.share
        let delay = max(Self.delay, earliest - ClockReading.uptime)
        spent = 0
        scheduler.after(delay) { self.work() }
    }

    private func work() {
        guard let state else { return }
        let start = ClockReading.uptime
        var now = start
        var isDone = false
        while !isDone, now - start < Self.part {
            isDone = state.collectStep()
            now = ClockReading.uptime
        }
        spent += now - start
        guard isDone else {
            scheduler.after(Self.pause) { self.work() }
            return
        }
        let foundMore = onEnd?() ?? false
        spent += ClockReading.uptime - now
        if foundMore, !isSecond {
            isSecond = true
            scheduler.after(Self.pause) { self.work() }
            return
        }
        isSecond = false
        lastEnd = ClockReading.uptime
        state.expectGrowth()
    }
}
