import DequeModule
internal import Dispatch
import Platform

/// A portable transformer that may take long for a body of any size: a function of the program.
package protocol ThreadedTransformer: PortableTransformer, PlacedTransformer {
    /// False for responses that it does not change, and for work that is shorter than a switch to another
    /// thread.
    nonisolated func belongsOnThread(_ response: Response) -> Bool
}

/// Runs the transformers of a Swift program on a few threads, so that the loop does not wait for them.
/// Responses of one URL are transformed one after the other, in order.
@EngineActor
final class TransformThreads: TransformerExecutor {
    static let shared = TransformThreads(limit: min(8, max(2, MachineProcessors.current.count)))

    private struct Job {
        /// Nil once it runs: its thread holds the last reference, and frees the transformed content.
        var work: OffloadedJob?
        let completion: @EngineActor (OffloadedJob.Outcome) -> Void
    }

    /// The number of jobs that run at the same time.
    private let limit: Int
    private let queue = DispatchQueue(label: "transformers", attributes: .concurrent)
    private var jobs: [UInt64: Job] = [:]
    /// By URL, in the order of arrival; the first job runs or is ready.
    private var queues: [String: Deque<UInt64>] = [:]
    /// The first jobs of their queues that wait for a thread.
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

    /// If the job has begun, its thread becomes free when its function returns.
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
                // No step of the job is for another executor.
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

    /// Removes the first job of a queue, which is done.
    private func leave(_ url: String) {
        _ = queues[url]?.popFirst()
        if let next = queues[url]?.first { ready.append((next, url)) } else { queues[url] = nil }
    }
}
