import DequeModule
internal import Dispatch
import Platform

/// A portable transformer that may take long, whatever the size of the body: a function of the program's.
package protocol ThreadedTransformer: PortableTransformer, PlacedTransformer {
    /// False for what it leaves as it is, and for what takes less than the way to another thread.
    nonisolated func belongsOnThread(_ response: Response) -> Bool
}

/// Where the functions of a Swift program transform: a few threads, so that none holds up the loop. Responses
/// of one URL are transformed one after the other, and so keep their order.
@EngineActor
final class TransformThreads: TransformerExecutor {
    static let shared = TransformThreads(limit: min(8, max(2, MachineProcessors.current.count)))

    private struct Job {
        /// Nil from when it runs: its thread has the last reference, and frees what it transformed.
        var work: OffloadedJob?
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    /// Jobs that run at the same time.
    private let limit: Int
    private let queue = DispatchQueue(label: "transformers", attributes: .concurrent)
    private var jobs: [UInt64: Job] = [:]
    /// By URL, in the order of coming; the first runs or is ready.
    private var queues: [String: Deque<UInt64>] = [:]
    /// The first of their queues, which wait for a thread.
    private var ready: Deque<(id: UInt64, url: String)> = []
    private var running = 0
    private var count: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64 {
        count += 1
        jobs[count] = Job(work: job, completion: completion)
        let url = job.context.url
        queues[url, default: []].append(count)
        if queues[url]?.count == 1 { ready.append((count, url)) }
        start()
        return count
    }

    /// The thread of one that has begun is free when its function returns.
    func cancel(_ id: UInt64) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        EngineLoop.shared.submit { job.completion(.cancelled) }
    }

    private func start() {
        while running < limit, let (id, url) = ready.popFirst() {
            guard let work = jobs[id]?.work else {
                leave(url)
                continue
            }
            jobs[id]?.work = nil
            running += 1
            queue.async {
                // No part of it is for another executor.
                let outcome = work.run { _, response, _ in response }
                EngineLoop.shared.submit { self.end(id, url, outcome) }
            }
        }
    }

    private func end(_ id: UInt64, _ url: String, _ outcome: OffloadedJob.Outcome) {
        running -= 1
        leave(url)
        start()
        jobs.removeValue(forKey: id)?.completion(outcome)
    }

    /// The first of a queue is done.
    private func leave(_ url: String) {
        _ = queues[url]?.popFirst()
        if let next = queues[url]?.first { ready.append((next, url)) } else { queues[url] = nil }
    }
}
