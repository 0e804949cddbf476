import RestEngine

/// A clock that moves by a millisecond at each reading, so that work in parts seems long.
package final class HastyClock: EngineClock {
    private var looks = 0.0

    package init() {}

    package var now: Double { 1_000_000 + uptime }

    package var uptime: Double {
        looks += 0.001
        return looks
    }
}
