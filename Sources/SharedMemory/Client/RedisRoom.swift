import Synchronization

/// Bounds the commands of one client that have no reply yet, by number and bytes. Any thread.
final class RedisRoom: Sendable {
    private struct Used {
        var commands = 0
        var bytes = 0
    }

    private let commands: Int
    private let bytes: Int
    private let used = Mutex(Used())

    init(commands: Int, bytes: Int) { (self.commands, self.bytes) = (commands, bytes) }

    /// False when there is no room. A command that is larger than all of it may go alone.
    func enter(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard used.commands < commands else { return false }
            guard used.bytes == 0 || used.bytes + bytes <= self.bytes else { return false }
            used.commands += 1
            used.bytes += bytes
            return true
        }
    }

    func leave(_ bytes: Int) {
        used.withLock { used in
            used.commands -= 1
            used.bytes -= bytes
        }
    }

    var count: Int { used.withLock { $0.commands } }
}
