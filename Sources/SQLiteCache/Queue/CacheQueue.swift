import Dispatch
import RestEngine
import Synchronization

/// Runs operations one after the other on a queue of its own, the cache queue, and tells the engine loop.
// Unchecked: `line` and `store` are touched on `queue` alone.
final class CacheQueue: @unchecked Sendable {
    private struct Inbox {
        var operations: [Operation] = []
        /// Of what waits here or in the line, or is being done.
        var weight = 0
        var isAtWork = false
    }

    /// More may not wait: a disk that hangs must not take all memory.
    static let maxWaitingWeight = 128 << 20

    private let inbox = Mutex(Inbox())
    private let queue = DispatchQueue(label: "cache queue")
    private var line = OperationLine()
    private let store: EntityStore

    /// - Parameter log: Called on the engine loop.
    init(_ settings: EntityStore.Settings, log: @escaping @EngineActor (EngineLog.Category, String) -> Void) {
        store = EntityStore(settings) { category, text in EngineLoop.shared.submit { log(category, text) } }
    }

    // MARK: Any thread

    /// False when too much waits already.
    func add(_ operation: Operation) -> Bool {
        let weight = operation.weight
        let (isTaken, mustStart) = inbox.withLock { inbox in
            if weight > 0, inbox.weight > 0, inbox.weight + weight > Self.maxWaitingWeight {
                return (false, false)
            }
            inbox.operations.append(operation)
            inbox.weight += weight
            defer { inbox.isAtWork = true }
            return (true, !inbox.isAtWork)
        }
        if mustStart { queue.async { self.work() } }
        return isTaken
    }

    /// Closes the file behind all that was added before.
    func close(completion: @escaping @EngineActor () -> Void) {
        queue.async {
            self.store.close()
            EngineLoop.shared.submit(completion)
        }
    }

    // MARK: The queue

    private func work() {
        var doneWeight = 0
        while takeInbox(doneWeight) {
            let batch = line.takeBatch()
            doneWeight = batch.others.reduce(0) { $0 + $1.weight }
            tell(batch.reads, batch.reads.map { read in Result { try store.read(read.key) } })
            if !batch.others.isEmpty { tell(batch.others, store.run(batch.others)) }
            store.writeReadsIfMany()
        }
    }

    /// False when nothing is left, and then nobody is at work.
    private func takeInbox(_ doneWeight: Int) -> Bool {
        let isIdle = line.isEmpty
        let new = inbox.withLock { inbox in
            inbox.weight -= doneWeight
            let new = inbox.operations
            inbox.operations = []
            if new.isEmpty, isIdle { inbox.isAtWork = false }
            return new
        }
        line.append(new)
        return !line.isEmpty
    }

    private func tell(_ operations: [Operation], _ results: [Result<Entity?, any Error>]) {
        guard !operations.isEmpty else { return }
        EngineLoop.shared.submit {
            for (operation, result) in zip(operations, results) { operation.completion(result) }
        }
    }
}
