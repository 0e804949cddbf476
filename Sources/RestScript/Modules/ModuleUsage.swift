import Synchronization

/// The memory and CPU time of the Lua states of modules. Each thread reports them after a job, because no
/// other thread may read its state.
final class ModuleUsage: Sendable {
    /// Bytes that Lua holds, and seconds of its functions' CPU time.
    struct Reading: Equatable {
        var bytes = 0
        var seconds = 0.0
    }

    private struct Content {
        var readings: [ObjectIdentifier: Reading] = [:]
        /// The seconds of states that are closed.
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

    /// The sum of all states.
    var total: Reading {
        content.withLock { content in
            content.readings.values.reduce(into: Reading(seconds: content.secondsBefore)) { total, reading in
                total.bytes += reading.bytes
                total.seconds += reading.seconds
            }
        }
    }
}
