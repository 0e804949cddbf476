internal import Dispatch
internal import Synchronization

/// Where what takes long because a body is large is done, by standard transformers and for publishing: a thread of its own,
/// one body after the other, so that the loop answers others meanwhile and no more memory is used than for one.
@EngineActor
final class LargeContent: TransformerPlace {
    static let shared = LargeContent()
    /// A smaller body takes no transformer long.
    nonisolated static let leastSize = 16 << 10

    private let queue = DispatchQueue(label: "large content")
    private var waiting: [UInt64: Visitor] = [:]
    private var count: UInt64 = 0

    private struct Visitor {
        let visit: TransformerVisit
        let isCancelled: Flag
        let completion: @EngineActor (TransformerVisit.Outcome) -> Void
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

    func send(
        _ visit: TransformerVisit, completion: @escaping @EngineActor (TransformerVisit.Outcome) -> Void
    ) -> UInt64 {
        count += 1
        let id = count
        let flag = Flag()
        waiting[id] = Visitor(visit: visit, isCancelled: flag, completion: completion)
        queue.async {
            guard !flag.isSet else { return }
            // No part of it is for another place.
            let outcome = visit.run { _, response in response }
            EngineLoop.shared.submit { LargeContent.shared.end(id, outcome) }
        }
        return id
    }

    func cancel(_ id: UInt64) {
        guard let visitor = waiting[id] else { return }
        visitor.isCancelled.set()
        EngineLoop.shared.submit {
            LargeContent.shared.end(id, TransformerVisit.Outcome(visitor.visit.response))
        }
    }

    /// Runs `work` there, and `completion` with what it gives in a later pass of the loop.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping @EngineActor (Result) -> Void
    ) {
        queue.async {
            let result = work()
            EngineLoop.shared.submit { completion(result) }
        }
    }

    private func end(_ id: UInt64, _ outcome: TransformerVisit.Outcome) {
        waiting.removeValue(forKey: id)?.completion(outcome)
    }
}
