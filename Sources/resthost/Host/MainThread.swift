import Dispatch
import RestEngine

/// The main thread only parses arguments and waits; the work is on the engine loop.
enum MainThread {
    /// Runs `body` on the engine loop and waits for the exit code that it gives.
    static func wait(_ body: @escaping @Sendable @EngineActor () async -> Int32) -> Int32 {
        let outcome = Outcome()
        Task { @EngineActor in
            outcome.set(await body())
        }
        return outcome.get()
    }

    private final class Outcome: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // Written once before the signal, read once after it.
        nonisolated(unsafe) private var code: Int32 = 0

        func set(_ code: Int32) {
            self.code = code
            semaphore.signal()
        }

        func get() -> Int32 {
            semaphore.wait()
            return code
        }
    }
}
