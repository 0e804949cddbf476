import DequeModule

/// The operations on the cache of one stage for one resource. They run one after the other, so the last one
/// asked for takes effect last.
///
/// A cache that does not answer in time gets no further operations from this line until it has answered: a
/// write that is late could otherwise take effect after a removal.
@EngineActor
final class CacheLine {
    private struct Item {
        let operation: CacheOperation
        let cache: any EntityCache
        let key: CacheKey
        /// Keeps the resource alive, and so the only one at its URL, until all is done.
        let resource: Resource
    }

    /// The state of the answer to one operation: only the first answer counts, and only if it is in time.
    private enum Answer { case awaited, overdue, given }

    let stage: String
    private var waiting: Deque<Item> = []
    private var isBusy = false
    private var isDraining = false
    /// The cache whose answer is overdue.
    private var stalled: (any EntityCache)?
    /// The cache in which a removal may have failed: its entity may be one that should be gone.
    private var doubtful: (any EntityCache)?

    init(stage: String, onRest: @escaping @EngineActor (CacheLine) -> Void) {
        self.stage = stage
        self.onRest = onRest
    }

    /// Called when the line has no state that must be kept.
    private let onRest: @EngineActor (CacheLine) -> Void

    /// False if the line waits for an overdue answer of another cache.
    func accepts(_ cache: any EntityCache) -> Bool { stalled.map { $0 === cache } ?? true }

    func isDoubtful(_ cache: any EntityCache) -> Bool { doubtful === cache }

    func ask(_ operation: CacheOperation, _ cache: any EntityCache, _ key: CacheKey, of resource: Resource) {
        let item = Item(operation: operation, cache: cache, key: key, resource: resource)
        guard stalled == nil else { return fail(item, CacheError.busy) }
        waiting.append(item)
        drain()
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        while !isBusy, let item = waiting.popFirst() {
            isBusy = true
            start(item)
        }
        isDraining = false
        if !isBusy, waiting.isEmpty, doubtful == nil { onRest(self) }
    }

    private func start(_ item: Item) {
        var answer = Answer.awaited
        var timer: EngineTimer?
        let engine = item.resource.engine
        func finish(_ result: Result<Entity?, any Error>) {
            timer?.cancel()
            timer = nil
            switch answer {
            case .given: engine.report(CacheError.answeredTwice, of: item.cache, "completion", item.resource)
            case .awaited:
                answer = .given
                conclude(item, result)
                isBusy = false
                drain()
            case .overdue:
                answer = .given
                stalled = nil
                isBusy = false
                drain()
            }
        }
        if case .pass(let completion) = item.operation {
            isBusy = false
            return completion()
        }
        engine.log.write(
            .cache, "\(item.operation.name) \(item.resource.urlString) at \(stage): \(item.cache.description)"
        )
        switch item.operation {
        case .read: item.cache.read(item.key) { finish($0) }
        case .write(let entity, let grant):
            item.cache.write(entity, for: item.key, grant) { finish(Self.result($0)) }
        case .updateTimestamp(let time):
            item.cache.updateTimestamp(time, for: item.key) { finish(Self.result($0)) }
        case .remove: item.cache.remove(item.key) { finish(Self.result($0)) }
        case .pass: break
        }
        guard case .awaited = answer else { return }
        timer = engine.scheduler.after(CacheLimits.answerSeconds) { [self] in
            guard case .awaited = answer else { return }
            answer = .overdue
            stalled = item.cache
            fail(item, CacheError.silent)
            while let next = waiting.popFirst() { fail(next, CacheError.busy) }
        }
    }

    private static func result(_ failure: (any Error)?) -> Result<Entity?, any Error> {
        failure.map { .failure($0) } ?? .success(nil)
    }

    private func conclude(_ item: Item, _ result: Result<Entity?, any Error>) {
        switch result {
        case .failure(let error): fail(item, error)
        case .success(let entity):
            notify(item, entity)
            switch item.operation {
            case .read(let completion): completion(entity)
            case .write, .remove: if doubtful === item.cache { doubtful = nil }
            case .updateTimestamp, .pass: break
            }
        }
    }

    private func notify(_ item: Item, _ entity: Entity?, failure: (any Error)? = nil) {
        var result = EngineEvent.CacheAccess.Result.done
        if failure != nil {
            result = .failed
        } else if case .read = item.operation {
            result = entity == nil ? .miss : .hit
        }
        item.resource.notify(
            .cache,
            .cache(
                EngineEvent.CacheAccess(
                    operation: item.operation.name, stage: stage, cache: item.cache.description,
                    result: result, message: failure.map { SecretMask.standard.line("\($0)") })))
    }

    private func fail(_ item: Item, _ error: any Error) {
        if case .pass = item.operation { return item.operation.fail() }
        notify(item, nil, failure: error)
        item.resource.engine.report(error, of: item.cache, item.operation.name, item.resource)
        if case .remove = item.operation { doubtful = item.cache }
        item.operation.fail()
    }
}
