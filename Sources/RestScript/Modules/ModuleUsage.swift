import Synchronization

/// What the Lua states of modules use, as each thread said it behind its last job: nobody else may look into
/// a state.
final class ModuleUsage: Sendable {
    /// Bytes that Lua holds, and seconds of CPU time of functions.
    struct Reading: Equatable {
        var bytes = 0
        var seconds = 0.0
    }

    private struct Content {
        var readings: [ObjectIdentifier: Reading] = [:]
        /// Of states that are closed.
        var secondsBefore = 0.0
    }

    private let content = Mutex(Content())

    func note(_ reading: Reading, of state: ModuleState) {
        content.withLock { $0.readings[ObjectIdentifier(state)] = reading }
    }

    func end(_ state: ModuleState) {
        content.withLock { content in
            content.secondsBefore +=
                content.readings.removeValue(forKey: ObjectIdentifier(state))?.seconds ?? 0
        }
    }

    /// Of all states together.
    var total: Reading {
        content.withLock { content in
            content.readings.values.reduce(into: Reading(seconds: content.secondsBefore)) { total, reading in
                total.bytes += reading.bytes
                total.seconds += reading.seconds
            }
        }
    }
}
