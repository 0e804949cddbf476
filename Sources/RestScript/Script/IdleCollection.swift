import LuaRuntime
import Platform
import RestEngine

/// Collects the garbage of an idle script. Lua collects only while a script allocates, so the garbage of a
/// burst of work, and the resources and content that it holds, would stay until the next burst.
///
/// A collection begins some time after the state has grown. It works on the engine loop in short parts, and
/// takes only a small share of the loop's time however often the state grows.
@EngineActor
final class IdleCollection {
    /// Seconds from growth to the first part. A busy script collects garbage by itself.
    private static let delay = 1.0
    /// Seconds for one part, and from its end to the next.
    private static let part = 0.001, pause = 0.004
    /// The highest share of the loop's time, from one collection's end to the next one's beginning.
    private static let share = 0.05

    /// Called when the garbage has been collected. When it returns true, other objects were released, and
    /// they are collected in a second round.
    var onEnd: (() -> Bool)?
    private var isSecond = false

    private weak var state: LuaState?
    private let scheduler: Scheduler
    /// Seconds that the current or last collection has taken.
    private var spent = 0.0
    private var lastEnd = -Double.infinity

    /// The state calls it when it grows, and so keeps this object alive.
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
