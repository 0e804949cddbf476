/// A definition prepared for sending: URL and edits of the draft, made once for all its requests.
@EngineActor
final class PreparedDefinition {
    let url: URLText
    private let plan: RequestPlan
    /// The error with which each of its requests fails, if a part can't be encoded.
    private var failure: RequestError.Cause?
    /// Each request gets a new key (39.6).
    private let hasRandomKey: Bool
    /// Files that are checked when a request is made.
    private let upload: Upload?
    /// Nil for a call that adds nothing to its resource.
    let additions: ResourceAdditions?

    init(_ definition: RequestDefinition) {
        let contents = definition.contents
        url = contents.url
        upload = contents.body?.value.upload
        hasRandomKey = contents.idempotencyKey?.value == .random
        additions = ResourceAdditions(
            contents.headers.withoutBody, contents.configuration.map(\.value))
        var plan = RequestPlan(method: definition.method)
        let headers = contents.allHeaders
        // They replace headers of blocks (35.5).
        if !headers.isEmpty || !headers.omitted.isEmpty {
            plan.mutations.append { draft in
                for name in headers.omitted { draft.headers.omit(name) }
                draft.headers.replace(by: headers)
            }
        }
        switch contents.body?.value.content {
        case nil: break
        case .failure(let error): failure = error.cause
        case .success(let encoded):
            plan.mutations.append { draft in
                draft.payload = encoded.payload
                // For a repeated request: a file may have been removed meanwhile.
                try draft.upload?.check()
            }
        }
        plan.configuration = contents.configuration.map(\.value)
        self.plan = plan
    }

    /// The plan for one request. Throws the error with which the request fails.
    func planOfRequest() throws(RequestError.CauseError) -> RequestPlan {
        if let failure { throw RequestError.CauseError(failure) }
        try upload?.check()
        guard hasRandomKey else { return plan }
        var plan = plan
        let key = IdempotencyKey.random()
        plan.mutations.append { $0.headers.set(IdempotencyKey.header, key) }
        return plan
    }
}

extension RequestDefinition {
    /// The resource at its URL, for every method (39.4).
    @EngineActor
    package var resource: Resource { service.core.resource(at: prepared.url) }

    /// Starts a request, as ``Resource/request(_:_:)`` does at its URL: with the matching blocks, mutators,
    /// decorators and pipeline, and its own configuration after all blocks (39.3).
    @EngineActor
    @discardableResult
    package func send() -> Request { send(through: resource) }

    @EngineActor
    private func send(
        through resource: Resource, _ edit: (inout RequestPlan) -> Void = { _ in }
    ) -> Request {
        do throws(RequestError.CauseError) {
            var plan = try prepared.planOfRequest()
            edit(&plan)
            return resource.start(plan)
        } catch { return resource.failedRequest(error.cause, method: method) }
    }

    /// The request as it would be sent now, after blocks and mutators; no request is sent.
    @EngineActor
    func draft() throws(RequestError) -> RequestDraft {
        let plan: RequestPlan
        do throws(RequestError.CauseError) {
            plan = try prepared.planOfRequest()
        } catch {
            let now = service.engine.scheduler.now
            throw RequestError(
                cause: error.cause, timestamp: now, url: prepared.url.string, method: method)
        }
        return try plan.draft(for: resource)
    }

    /// Gives fresh data of its ``resource``, or the result of a load with this request (39.5). Throws for
    /// methods other than GET.
    @EngineActor
    package func read(
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) throws(DefinitionError) {
        try read(resource, completion) { _ in }
    }

    @EngineActor
    private func read(
        _ resource: Resource, _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void,
        _ edit: @escaping (inout RequestPlan) -> Void
    ) throws(DefinitionError) {
        guard method == "GET" else {
            throw DefinitionError(
                .notReadable, "a definition of \(method) has no content to get: send() gives its request")
        }
        // The resource has one stream for all readers (57.3).
        resource.read(completion) {
            resource.isStreamed ? resource.load() : resource.load(using: send(through: resource, edit))
        }
    }
}

// MARK: Calls

/// A call of a program has a resource of its own where it adds headers or functions (rules 79).
extension RequestDefinition {
    /// The resource at the call's URL, with all that the call adds.
    @EngineActor
    package var resourceOfCall: Resource {
        service.core.resource(at: prepared.url, adding: prepared.additions)
    }

    /// The same as ``send()``.
    ///
    /// - Parameters:
    ///   - keepsBody: See ``Exchange/body``.
    ///   - isRaw: See ``RequestPlan/isRaw``.
    ///   - deadline: When the request must have ended.
    ///   - destination: Where the body of a success goes; nil: it becomes content.
    @EngineActor
    package func sendCall(
        keepsBody: Bool = false, isRaw: Bool = false, by deadline: ContinuousClock.Instant? = nil,
        to destination: BodyDestination? = nil
    ) -> Request {
        let resource = resourceOfCall
        defer { service.core.releaseIfWithoutData(resource) }
        return send(through: resource) {
            $0.keepsBody = keepsBody
            $0.isRaw = isRaw
            $0.allowsFragments = true
            $0.deadline = service.engine.uptime(at: deadline)
            $0.destination = destination
        }
    }

    /// The same as ``read(_:)``.
    @EngineActor
    package func readCall(
        by deadline: ContinuousClock.Instant? = nil,
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) throws(DefinitionError) {
        let uptime = service.engine.uptime(at: deadline)
        try read(resourceOfCall, completion) {
            $0.allowsFragments = true
            $0.deadline = uptime
        }
    }
}
