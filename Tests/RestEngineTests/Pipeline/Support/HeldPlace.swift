import RestEngine
import TestSupport

/// A place that does a visit when the test says so.
@EngineActor
final class HeldPlace: TransformerPlace {
    /// Visits that wait, in the order of coming.
    private(set) var waiting: [(id: UInt64, visit: TransformerVisit)] = []
    private var completions: [UInt64: @EngineActor (TransformerVisit.Outcome) -> Void] = [:]
    private var last: UInt64 = 0
    let journal: Journal

    init(_ fixture: EngineFixture, _ journal: Journal) {
        self.journal = journal
        fixture.watch(self)
    }

    /// Appends its name to a text.
    struct Appending: OutsideTransformer {
        let name: String
        let place: any TransformerPlace
        var errors = false

        var description: String { name }

        nonisolated func mayChange(_ response: Response) -> Bool { response.error == nil || errors }
    }

    func transformer(_ name: String, errors: Bool = false) -> any Transformer {
        Appending(name: name, place: self, errors: errors)
    }

    func send(
        _ visit: TransformerVisit, completion: @escaping @EngineActor (TransformerVisit.Outcome) -> Void
    ) -> UInt64 {
        last += 1
        waiting.append((last, visit))
        completions[last] = completion
        return last
    }

    func cancel(_ visit: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == visit }) else { return }
        let visit = waiting.remove(at: index)
        journal.note("cancelled")
        completions.removeValue(forKey: visit.id)?(visit.visit.failed(with: .requestCancelled))
    }

    /// Does the visit at `index`, and answers.
    func go(_ index: Int = 0) {
        let (id, visit) = waiting.remove(at: index)
        let journal = journal
        let outcome = visit.run { transformer, response in
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

    /// Answers the first visit with a failure.
    func fail(_ cause: RequestError.Cause) {
        let (id, visit) = waiting.removeFirst()
        completions.removeValue(forKey: id)?(visit.failed(with: cause))
    }
}
