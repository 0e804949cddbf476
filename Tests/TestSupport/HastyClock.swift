import RestEngine

/// A clock that moves by a millisecond with each look at it: work seems long to whoever does it in parts.
package final class HastyClock: EngineClock {
    private var looks = 0.0

    package init() {}

    package var now: Double { 1_000_000 + uptime }

    package var uptime: Double {
        looks += 0.001
        return looks
    }
}
