import RestEngine
import TestSupport

/// A cache that answers as the test says, and notes its calls.
@EngineActor
final class FakeCache: EntityCache {
    enum Manner {
        case atOnce
        /// Performs the operation and answers after this number of seconds.
        case after(Double)
        /// Performs the operation and answers when the test calls ``release()``.
        case held
        case never, twice, failing
    }

    struct Trouble: Error, CustomStringConvertible {
        let description: String
    }

    nonisolated let name: String
    private unowned let fixture: EngineFixture
    let calls: Journal
    /// Entities by the path of the resource, for the stage that has the cache.
    var entities: [String: Entity] = [:]
    /// The manner of each operation; without one it answers at once.
    var manners: [String: Manner] = [:]
    /// The paths for which the cache has a key; nil for all.
    var paths: Set<String>?
    var keyFails = false
    private var heldAnswers: [@EngineActor () -> Void] = []

    init(_ name: String, _ fixture: EngineFixture, calls: Journal = Journal()) {
        self.name = name
        self.fixture = fixture
        self.calls = calls
        fixture.watch(self)
    }

    nonisolated var description: String { name }

    @discardableResult
    func with(
        _ text: String, at path: String = "a", timestamp: Double = 1_000_000, headers: Headers = Headers()
    )
        -> FakeCache
    {
        entities[path] = Entity(
            content: .text(text), contentType: "text/string", headers: headers, timestamp: timestamp)
        return self
    }

    func text(at path: String = "a") -> String? { entities[path]?.content.text }

    /// Sends the answers that are held.
    func release() {
        let answers = heldAnswers
        heldAnswers = []
        for answer in answers { answer() }
    }

    func key(for resource: Resource, stage: String) throws -> CacheKey? {
        if keyFails { throw Trouble(description: "no key today") }
        let base = resource.service.baseURL?.description ?? ""
        let path = String(resource.urlString.dropFirst(base.count))
        if let paths, !paths.contains(path) { return nil }
        return CacheKey(path)
    }

    func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void) {
        answer("read", key) { [self] path, failure in
            if let failure { completion(.failure(failure)) } else { completion(.success(entities[path])) }
        }
    }

    func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        answer("write", key, entity.content.text ?? entity.content.kind) { [self] path, failure in
            if failure == nil { entities[path] = entity }
            completion(failure)
        }
    }

    func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        answer("update_timestamp", key, "\(Int(timestamp))") { [self] path, failure in
            if failure == nil { entities[path]?.timestamp = timestamp }
            completion(failure)
        }
    }

    func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        answer("remove", key) { [self] path, failure in
            if failure == nil { entities[path] = nil }
            completion(failure)
        }
    }

    private func answer(
        _ operation: String, _ key: CacheKey, _ detail: String? = nil,
        _ body: @escaping @EngineActor (String, Trouble?) -> Void
    ) {
        guard let path = key.value as? String else { return body("", Trouble(description: "a foreign key")) }
        calls.note(([name, operation, path] + (detail.map { [$0] } ?? [])).joined(separator: " "))
        switch manners[operation] ?? .atOnce {
        case .atOnce: body(path, nil)
        case .after(let seconds): fixture.scheduler.after(seconds) { body(path, nil) }
        case .held: heldAnswers.append { body(path, nil) }
        case .never: break
        case .twice:
            body(path, nil)
            body(path, nil)
        case .failing: body(path, Trouble(description: "disk full"))
        }
    }
}

/// Appends the first letters of its stage to a text. A text that begins with `error on` and the stage's name
/// fails there.
struct StageAppender: Transformer {
    let stage: String
    var description: String { stage }

    func process(_ response: Response, _ context: PipelineContext) -> Response {
        guard case .success(var entity) = response, let text = entity.content.text else { return response }
        if text.hasPrefix("error on \(stage)") {
            return .failure(RequestError(userMessage: "as told", timestamp: context.now))
        }
        entity.content = .text(text + stage.prefix(3))
        return .success(entity)
    }
}

extension EngineFixture {
    /// Gives stages their caches, for all resources.
    func cache(_ stages: [(StageName, any EntityCache)], methods: Set<Method>? = nil) throws {
        try configure(methods: methods) { draft in
            for (stage, cache) in stages { draft.configuration.pipeline[stage].cache = cache }
        }
    }

    /// Adds stages that work on text, each of which appends its name.
    func appendStageNames() throws {
        try configure { draft in
            draft.configuration.pipeline.removeTransformers()
            draft.configuration.pipeline["raw_data"].add(TextTransformer())
            for stage in ["decoding", "parsing", "model", "cleanup"] {
                draft.configuration.pipeline[StageName(stage)].add(StageAppender(stage: stage))
            }
        }
    }
}
