import LuaRuntime
import RestEngine

/// A call of `settle`, `advance` or `clock` on its way. It goes on whenever no host has anything due.
@EngineActor
final class ClockStep {
    private let host: TestHost
    /// Where the clock goes; nil for `settle`.
    private let target: (uptime: Double, now: Double)?
    private let waiter: LuaWaiter

    init(_ host: TestHost, to target: (uptime: Double, now: Double)? = nil, _ waiter: LuaWaiter) {
        self.host = host
        self.target = target
        self.waiter = waiter
    }

    /// Moves the clock to the next timer, or to the end of the way. False when it is there.
    func advance() -> Bool {
        guard let target, !host.isClosed, waiter.isAlive, host.clock.uptime < target.uptime else {
            return false
        }
        if let next = host.scheduler.nextDeadline, next < target.uptime {
            host.move(toUptime: max(next, host.clock.uptime))
        } else {
            host.move(toUptime: target.uptime, now: target.now)
        }
        return true
    }

    func finish() { waiter.resume { _ in 0 } }
}
