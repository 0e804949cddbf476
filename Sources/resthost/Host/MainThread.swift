import Dispatch
import RestEngine

/// The main thread only parses arguments and waits; the work is on the engine loop.
enum MainThread {
    /// Runs `body` on the engine loop and waits for the exit code that it gives.
    static func wait(_ body: @escaping @Sendable @EngineActor () async -> Int32) -> Int32 { value(body) }

    /// Runs `body` on the engine loop and waits for what it gives.
    static func value<Value: Sendable>(_ body: @escaping @Sendable @EngineActor () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task { @EngineActor in
            outcome.set(await body())
        }
        return outcome.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // Written once before the signal, read once after it.
        nonisolated(unsafe) private var value: Value?

        func set(_ value: Value) {
            self.value = value
            semaphore.signal()
        }

        func get() -> Value {
            while true {
                semaphore.wait()
                if let value { return value }
            }
        }
    }
}
