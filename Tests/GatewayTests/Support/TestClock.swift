import RestEngine
import Synchronization

/// One time for an engine and for the network threads. It stands still until it is advanced.
final class TestClock: Sendable {
    private let time = Mutex(1_000_000.0)

    var now: Double { time.withLock { $0 } }

    func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// The engine's side of a ``TestClock``.
@EngineActor
final class TestEngineClock: EngineClock {
    private let clock: TestClock

    init(_ clock: TestClock) { self.clock = clock }

    var now: Double { clock.now }
    var uptime: Double { clock.now }
}
