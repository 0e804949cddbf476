import RestEngine
import TestSupport

/// An executor that runs a job when the test says so.
@EngineActor
final class HeldExecutor: TransformerExecutor {
    /// Jobs that wait, in the order of arrival.
    private(set) var waiting: [(id: UInt64, job: OffloadedJob)] = []
    private var completions: [UInt64: @EngineActor (OffloadedJob.Outcome) -> Void] = [:]
    private var last: UInt64 = 0
    let journal: Journal

    init(_ fixture: EngineFixture, _ journal: Journal) {
        self.journal = journal
        fixture.watch(self)
    }

    /// Appends its name to a text.
    struct Appending: OffloadedTransformer {
        let name: String
        let executor: any TransformerExecutor
        var errors = false

        var description: String { name }

        nonisolated func mayChange(_ response: Response) -> Bool { response.error == nil || errors }
    }

    func transformer(_ name: String, errors: Bool = false) -> any Transformer {
        Appending(name: name, executor: self, errors: errors)
    }

    func send(
        _ job: OffloadedJob, completion: @escaping @EngineActor (OffloadedJob.Outcome) -> Void
    ) -> UInt64 {
        last += 1
        waiting.append((last, job))
        completions[last] = completion
        return last
    }

    func cancel(_ job: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == job }) else { return }
        let job = waiting.remove(at: index)
        journal.note("cancelled")
        completions.removeValue(forKey: job.id)?(job.job.failed(with: .requestCancelled))
    }

    /// Runs the job at `index`, and answers.
    func go(_ index: Int = 0) {
        let (id, job) = waiting.remove(at: index)
        let journal = journal
        let outcome = job.run { transformer, response, _ in
            guard let appending = transformer as? Appending else { return response }
            journal.note(appending.name)
            switch response {
            case .success(var entity):
                entity.content = .text(
                    (entity.content.text ?? "\(entity.content.typeName) ") + appending.name)
                return .success(entity)
            case .failure(var error):
                if appending.errors { error.userMessage += appending.name }
                return .failure(error)
            }
        }
        completions.removeValue(forKey: id)?(outcome)
    }

    /// Answers the first job with a failure.
    func fail(_ cause: RequestError.Cause) {
        let (id, job) = waiting.removeFirst()
        completions.removeValue(forKey: id)?(job.failed(with: cause))
    }
}
