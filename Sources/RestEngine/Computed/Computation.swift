/// One run of the function of a computed resource, which records the resources that it reads: all work in its
/// ``WorkScope`` belongs to it (rules 71.2, 71.6).
@EngineActor
final class Computation {
    /// More is a loop that does not end, or content that should be one resource.
    private static let mostSources = 10_000

    let resource: Resource
    private let declaration: ComputedDeclaration
    /// In the order in which they were read first.
    private(set) var sources: [ComputedSource] = []
    private var places: [ObjectIdentifier: Int] = [:]
    private(set) var isOver = false
    /// A circle, or too many sources: the outcome, regardless of the function's result.
    private(set) var failure: RequestError?

    init(of resource: Resource, by declaration: ComputedDeclaration) {
        self.resource = resource
        self.declaration = declaration
    }

    func end() { isOver = true }

    /// Records that the function begins to read a resource. Returns an error if it must not wait for it.
    func willRead(_ source: Resource) -> RequestError? {
        guard !isOver, failure == nil, source.url != nil else { return failure }
        let record = source.core.sources.record(of: source)
        guard places[ObjectIdentifier(record)] == nil else { return nil }
        if let way = circle(through: source) {
            let names = (way + [resource]).map { SecretMask.standard.url($0.urlString) }
            return fail("a circle of computed resources: \(([names.last!] + names).joined(separator: " → "))")
        }
        guard sources.count < Self.mostSources else {
            return fail("a computed resource reads more than \(Self.mostSources) resources")
        }
        places[ObjectIdentifier(record)] = sources.count
        sources.append(ComputedSource(record: record))
        return nil
    }

    /// Records that the function got this data.
    func didRead(_ source: Resource, _ data: Entity?) {
        guard !isOver, source.url != nil else { return }
        let record = source.core.sources.record(of: source)
        guard let place = places[ObjectIdentifier(record)] else { return }
        sources[place].version = record.version
        sources[place].timestamp = data?.timestamp
    }

    /// The time of the oldest data that it was made of; nil without any.
    var oldestTimestamp: Double? { sources.compactMap(\.timestamp).min() }

    private func fail(_ message: String) -> RequestError {
        let place = declaration.origin.flatMap(ScriptLocation.init)
        let error = RequestError(
            cause: .scriptError(.init(message: message, file: place?.file, line: place?.line)),
            timestamp: resource.engine.scheduler.now, url: resource.urlString, method: "GET")
        failure = error
        return error
    }

    /// The computed resources on a way from `source` back to this one; nil if there is none. It is a loop,
    /// because a recursion could be as deep as the graph.
    private func circle(through source: Resource) -> [Resource]? {
        var stack = [source]
        var seen: Set<ObjectIdentifier> = []
        var before: [ObjectIdentifier: Resource] = [:]
        while let next = stack.popLast() {
            if next === resource {
                var way: [Resource] = []
                var step = before[ObjectIdentifier(next)]
                while let known = step {
                    way.append(known)
                    step = known === source ? nil : before[ObjectIdentifier(known)]
                }
                return way.reversed()
            }
            guard let computed = next.computed, seen.insert(ObjectIdentifier(next)).inserted else { continue }
            for record in computed.recordsOfSources {
                guard let known = record.resource, !seen.contains(ObjectIdentifier(known)) else { continue }
                before[ObjectIdentifier(known)] = next
                stack.append(known)
            }
        }
        return nil
    }
}

/// A resource that a computed one was made of.
struct ComputedSource {
    let record: SourceRecord
    /// The version of the data that the function got; -1 before it got any.
    var version = -1
    /// The time of that data, in Unix seconds; nil if there was none.
    var timestamp: Double?

    /// Whether it has got other data since it was read.
    @EngineActor
    var isOutdated: Bool { version >= 0 && version != record.version }
}

extension Resource {
    /// Records the load that `load` begins for the computation that runs; a failed request if that must not
    /// wait for it. Nil if `load` gave nil, or if no computation runs.
    func recordingLoad(_ load: () -> Request?) -> Request? {
        guard let computation = WorkScope.current.computation else { return nil }
        if let error = computation.willRead(self) { return Request(engine: engine, failedWith: error) }
        let request = load()
        request?.onCompletion { computation.didRead(self, $0.response.entity) }
        return request
    }

    /// Records a read whose result `completion` gets, for the computation that runs. Nil if it got an error.
    func recordingRead(
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) -> (@EngineActor (Result<Entity, RequestError>) -> Void)? {
        guard let computation = WorkScope.current.computation else { return completion }
        if let error = computation.willRead(self) {
            completion(.failure(error))
            return nil
        }
        return { [self] result in
            computation.didRead(self, try? result.get())
            completion(result)
        }
    }

    /// Records that the computation that runs has read the data in the state. A function may read the data
    /// that it replaces.
    func recordLatestRead() {
        guard let computation = WorkScope.current.computation, computation.resource !== self else { return }
        if computation.willRead(self) == nil { computation.didRead(self, state.data) }
    }
}
