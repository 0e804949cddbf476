internal import Dispatch
internal import Synchronization

/// Where what takes long because a body is large is done, by standard transformers and for publishing: two
/// threads, so that the loop answers others meanwhile. One has the bodies up to a megabyte, which so wait for
/// no larger one; each takes one after the other, so that no more memory is used than for the two.
@EngineActor
package final class LargeContent: TransformerExecutor {
    package static let shared = LargeContent()
    /// A smaller body takes no transformer long.
    nonisolated static let leastSize = 16 << 10
    /// A smaller one takes standard transformers no longer than a few ways to another thread: a millisecond
    /// for the worst JSON, as an array of digits is, and for the slowest charsets.
    nonisolated static let leastParsedSize = 64 << 10
    /// Less is given back to the system in no time.
    package nonisolated static let leastDiscardedSize = 1 << 20

    /// A body of more bytes is with those for which others wait long.
    nonisolated static let leastHugeSize = 1 << 20

    private let large = DispatchQueue(label: "large content")
    private let huge = DispatchQueue(label: "huge content")

    private func queue(for bytes: Int) -> DispatchQueue { bytes > Self.leastHugeSize ? huge : large }
    private var waiting: [UInt64: Waiting] = [:]
    private var count: UInt64 = 0

    /// Without the job: the queue has the last reference, and frees what was transformed.
    private struct Waiting {
        let isCancelled: Flag
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        func set() { value.store(true, ordering: .relaxed) }
        var isSet: Bool { value.load(ordering: .relaxed) }
    }

    /// A smaller content has its published form made at once.
    nonisolated static let leastPublishedSize = 256 << 10

    /// Bytes of a body that nothing has interpreted yet; 0 for all else.
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
            // No part of it is for another executor.
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

    /// Runs `work` there, on so many bytes, and `completion` with what it gives in a later pass of the loop.
    package func run<Result: Sendable>(
        for bytes: Int, _ work: @escaping @Sendable () -> Result,
        completion: @escaping @EngineActor (Result) -> Void
    ) {
        queue(for: bytes).async {
            let result = work()
            EngineLoop.shared.submit { completion(result) }
        }
    }

    /// Has something large freed on a thread of its own: giving megabytes back to the system takes
    /// milliseconds. The caller keeps no reference.
    package nonisolated static func discard(_ value: consuming some Sendable) {
        let leftover = Leftover(value)
        freeing.async { leftover.drop() }
    }

    /// Decodes a body of so many bytes, huge ones one at a time: a decoder takes several times the body, and
    /// threads of transformer modules decode for themselves.
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

/// The only reference to something that is to end on another thread.
private final class Leftover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming Value) { self.value = Mutex(value) }

    func drop() { value.withLock { $0 = nil } }
}
