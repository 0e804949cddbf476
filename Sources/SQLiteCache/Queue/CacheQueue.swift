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
    private let answers: Answers

    /// - Parameter log: Called on the engine loop, and released anywhere.
    init(
        _ settings: EntityStore.Settings, answers: Answers,
        log: @escaping @EngineActor (EngineLog.Category, String) -> Void
    ) {
        self.answers = answers
        store = EntityStore(settings) { category, text in EngineLoop.shared.submit { log(category, text) } }
    }

    // MARK: Any thread

    /// False when too much waits already.
    func hasRoom(for action: Operation.Action) -> Bool {
        let waiting = inbox.withLock { $0.weight }
        return action.weight == 0 || waiting == 0 || waiting + action.weight <= Self.maxWaitingWeight
    }

    func add(_ operation: Operation) {
        let mustStart = inbox.withLock { inbox in
            defer { inbox.isAtWork = true }
            inbox.operations.append(operation)
            inbox.weight += operation.action.weight
            return !inbox.isAtWork
        }
        if mustStart { queue.async { self.work() } }
    }

    /// Closes the file behind all that was added before.
    func close(_ answer: Answers.ID? = nil) {
        queue.async {
            self.store.close()
            if let answer { self.notify([(answer, .success(nil))]) }
        }
    }

    // MARK: The queue

    private func work() {
        var doneWeight = 0
        while takeInbox(doneWeight) {
            let batch = line.takeBatch()
            doneWeight = batch.others.reduce(0) { $0 + $1.action.weight }
            notify(batch.reads.map { read in (read.answer, Result { try store.read(read.key) }) })
            if !batch.others.isEmpty {
                notify(Array(zip(batch.others.map(\.answer), store.run(batch.others))))
            }
            store.writeReadsIfMany()
        }
    }

    /// False when nothing is left, and then no work is under way.
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

    private func notify(_ results: [(Answers.ID, Result<Entity?, any Error>)]) {
        guard !results.isEmpty else { return }
        EngineLoop.shared.submit { [answers] in
            for (id, result) in results { answers.give(result, to: id) }
        }
    }
}

/// The completions of waiting operations. They stay here, on the engine loop: otherwise the cache queue would
/// now and then release them, and objects of the engine with them.
@EngineActor
final class Answers {
    typealias ID = UInt64
    typealias Completion = @EngineActor (Result<Entity?, any Error>) -> Void

    private var waiting: [ID: Completion] = [:]
    private var last: ID = 0

    func expect(_ completion: @escaping Completion) -> ID {
        last += 1
        waiting[last] = completion
        return last
    }

    func give(_ result: Result<Entity?, any Error>, to id: ID) { waiting.removeValue(forKey: id)?(result) }
}
