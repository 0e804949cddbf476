import RestEngine

/// Who waits for which operation. Completions stay here, on the engine loop: what they hold would otherwise be released
/// on the cache queue now and then, and the engine's objects with it.
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
