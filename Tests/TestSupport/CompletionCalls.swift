import RestEngine

/// The calls of one completion.
@EngineActor
final class CompletionCalls {
    let what: String
    private(set) var count = 0
    private(set) var wasOnLoop = true
    private(set) var answer: String?

    init(_ what: String) { self.what = what }

    func note(_ answer: String = "") {
        count += 1
        wasOnLoop = wasOnLoop && EngineLoop.shared.isCurrent
        self.answer = self.answer ?? answer
    }
}
