import RestEngine
import Synchronization

/// One clock for an engine and for the network threads. It stands still until it is advanced.
final class TestClock: Sendable {
    private let times = Mutex((now: 1_000_000.0, uptime: 1_000.0))

    var now: Double { times.withLock { $0.now } }
    var uptime: Double { times.withLock { $0.uptime } }

    func advance(by seconds: Double) {
        times.withLock {
            $0.now += seconds
            $0.uptime += seconds
        }
    }

    /// Sets the time of day, as a user of the machine might do.
    func set(by seconds: Double) { times.withLock { $0.now += seconds } }
}

/// The engine's view of a ``TestClock``.
@EngineActor
final class TestEngineClock: EngineClock {
    private let clock: TestClock

    init(_ clock: TestClock) { self.clock = clock }

    var now: Double { clock.now }
    var uptime: Double { clock.uptime }
}
