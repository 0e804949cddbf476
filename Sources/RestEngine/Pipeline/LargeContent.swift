internal import Dispatch
internal import Synchronization

/// Does the work that takes long because a body is large, for standard transformers and for publishing, on
/// two threads, so that the loop can serve others meanwhile. One thread handles bodies up to a megabyte,
/// which thus don't wait for larger ones. Each thread handles one body at a time, so that only two take
/// memory at once.
@EngineActor
package final class LargeContent: TransformerExecutor {
    package static let shared = LargeContent()
    /// No transformer takes long for a smaller body.
    nonisolated static let leastSize = 16 << 10
    /// For a smaller body standard transformers take no longer than a few switches to another thread: a
    /// millisecond for the worst JSON, such as an array of digits, and for the slowest charsets.
    nonisolated static let leastParsedSize = 64 << 10
    /// Less memory is returned to the system quickly.
    package nonisolated static let leastDiscardedSize = 1 << 20

    /// Larger bodies use the second thread, because others would wait long for them.
    nonisolated static let leastHugeSize = 1 << 20

    private let large = DispatchQueue(label: "large content")
    private let huge = DispatchQueue(label: "huge content")

    private func queue(for bytes: Int) -> DispatchQueue { bytes > Self.leastHugeSize ? huge : large }
    private var waiting: [UInt64: Waiting] = [:]
    private var count: UInt64 = 0

    /// The job is not stored here: the queue holds the last reference, and frees the transformed content.
    private struct Waiting {
        let isCancelled: Flag
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        func set() { value.store(true, ordering: .relaxed) }
        var isSet: Bool { value.load(ordering: .relaxed) }
    }

    /// The published form of smaller content is made at once.
    nonisolated static let leastPublishedSize = 256 << 10

    /// Bytes of a body that has not been parsed; 0 for other content.
    nonisolated static func size(of response: Response) -> Int {
        if case .bytes(let bytes)? = response.entity?.content { return bytes.count }
        return 0
    }

    package func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64 {
        count += 1
        let id = count
        let flag = Flag()
        waiting[id] = Waiting(isCancelled: flag, completion: completion)
        queue(for: Self.size(of: job.response)).async {
            guard !flag.isSet else { return }
            // No step of the job is for another executor.
            let outcome = job.run { _, response, _ in response }
            EngineLoop.shared.submit { LargeContent.shared.end(id, outcome) }
        }
        return id
    }

    package func cancel(_ id: UInt64) {
        guard let known = waiting[id] else { return }
        known.isCancelled.set()
        EngineLoop.shared.submit { LargeContent.shared.end(id, .cancelled) }
    }

    /// Runs `work` on that thread for that many bytes, and `completion` with its result in a later pass of
    /// the loop.
    package func run<Result: Sendable>(
        for bytes: Int, _ work: @escaping @Sendable () -> Result,
        completion: @escaping @EngineActor (Result) -> Void
    ) {
        queue(for: bytes).async {
            let result = work()
            EngineLoop.shared.submit { completion(result) }
        }
    }

    /// Frees a large value on a thread of its own, because returning megabytes to the system takes
    /// milliseconds. The caller must hold no reference.
    package nonisolated static func discard(_ value: consuming some Sendable) {
        let leftover = Leftover(value)
        freeing.async { leftover.drop() }
    }

    /// Decodes a body of that size, huge ones one at a time: a decoder takes several times the memory of the
    /// body, and threads of transformer modules decode too.
    package nonisolated static func oneAtATime<Result: Sendable, Failure: Error>(
        for bytes: Int, _ decode: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard bytes > leastHugeSize else { return try decode() }
        return try decoding.withLock { _ throws(Failure) in try decode() }
    }

    private nonisolated static let decoding = Mutex(())

    private nonisolated static let freeing = DispatchQueue(label: "freeing")

    private func end(_ id: UInt64, _ outcome: OffloadedJob.Outcome) {
        waiting.removeValue(forKey: id)?.completion(outcome)
    }
}

/// The only reference to a value that is to be released on another thread.
private final class Leftover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming Value) { self.value = Mutex(value) }

    func drop() { value.withLock { $0 = nil } }
}
