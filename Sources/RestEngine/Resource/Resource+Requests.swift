extension Resource {
    /// Starts a request that does not change the resource's data and error (rules 4.16, 5.16).
    @discardableResult
    public func request(_ method: Method, _ options: RequestOptions) -> Request {
        let method = method.rawValue
        guard Method.isToken(method) else {
            return failedRequest(.invalidRequestMethod(method: method), method: method)
        }
        do throws(RequestError.CauseError) {
            return start(
                RequestPlan(
                    method: method, mutations: try mutations(for: options),
                    usesPipeline: options.usesPipeline, timeout: options.timeoutSeconds,
                    destination: options.receiver.map(BodyDestination.receiver)
                        ?? options.file.map(BodyDestination.file)))
        } catch { return failedRequest(error.cause, method: method) }
    }

    /// The same with common options as parameters:
    ///
    ///     resource.request(.post, query: ["notify": "all"], headers: [.accept: "*/*"], timeout: .seconds(5))
    ///
    /// - Parameters:
    ///   - query: Parameters added to the resource's URL: several with one name are its values, nil removes
    ///     it.
    ///   - headers: Override the configured ones.
    ///   - timeout: For the whole request; nil: the configured one.
    ///   - method: The method of the request.
    ///   - body: The body; nil for none.
    @discardableResult
    public func request(
        _ method: Method, query: KeyValuePairs<String, String?> = [:], headers: Headers = [:],
        timeout: Duration? = nil, body: RequestBody? = nil
    ) -> Request {
        var options = RequestOptions(body: body)
        options.query = RequestOptions.grouped(query)
        options.headers = headers
        options.timeout = timeout
        return request(method, options)
    }

    /// A request that has failed already; it is not sent (11.6).
    package func failedRequest(_ cause: RequestError.Cause, method: String) -> Request {
        Request(
            engine: engine,
            outcome: .failure(
                RequestError(cause: cause, timestamp: engine.scheduler.now, url: urlString, method: method)))
    }

    /// Builds, decorates, tracks and starts a request (5.16).
    func start(_ plan: consuming RequestPlan) -> Request {
        if let declaration = configuration(for: plan.method).computation {
            return start(plan, computedBy: declaration)
        }
        let deadline = plan.deadline
        let work = NetworkWork(plan, of: self)
        var request = Request(engine: engine, work: work)
        let resolved = work.finalConfiguration
        if !resolved.configuration.decorators.isEmpty {
            request = decorated(request, method: work.finalMethod, by: resolved.configuration.decorators)
            if request.work !== work {
                request.work.limitTime(to: work.totalSeconds)
            }
        }
        request.mustEnd(by: deadline)
        track(request)
        return request.begin()
    }

    private func start(_ plan: RequestPlan, computedBy declaration: ComputedDeclaration) -> Request {
        let target: Resource
        do { target = try resource(changedBy: plan) } catch {
            let error = RequestError(
                thrown: error, timestamp: engine.scheduler.now, url: urlString, method: plan.method)
            return Request(engine: engine, failedWith: error)
        }
        let work = ComputedWork(plan, of: target, by: declaration)
        let resolved = resolvedConfiguration(for: plan.method, own: plan.configuration)
        let request = decorated(
            Request(engine: engine, work: work), method: plan.method, by: resolved.configuration.decorators)
        if request.work !== work { request.work.limitTime(to: work.totalSeconds) }
        track(request)
        return request.begin()
    }

    /// The resource at the URL to which the caller has changed this one's, by adding parameters.
    private func resource(changedBy plan: RequestPlan) throws -> Resource {
        guard !plan.mutations.isEmpty, let url else { return self }
        var draft = RequestDraft(method: plan.method, url: url.string)
        for mutation in plan.mutations { try mutation(&draft) }
        guard draft.url != url.string else { return self }
        return core.neighbour(at: URLText(draft.url), partition, adding: additions)
    }

    /// The request after one of its decorators.
    func decorated(
        _ request: Request, method: String, byOne decorator: ConfiguredFunction<RequestDecorator>
    ) throws -> Request {
        guard let url else { return request }
        var decorated = request
        try core.configuration.limited(url) {
            decorated = try engine.decorations.decorate(request, of: self, method: method, by: [decorator])
        }
        return decorated
    }

    /// The request after its decorators; a failed one if they fail.
    ///
    /// - Parameter method: After mutation.
    private func decorated(
        _ request: Request, method: String, by decorators: [ConfiguredFunction<RequestDecorator>]
    ) -> Request {
        do {
            guard let url, !decorators.isEmpty else { return request }
            var decorated = request
            // Each decorator has a time of its own, but a block may add hundreds of them.
            try core.configuration.limited(url) {
                decorated = try engine.decorations.decorate(
                    request, of: self, method: method, by: decorators)
            }
            return decorated
        } catch {
            return Request(
                engine: engine,
                outcome: .failure(
                    RequestError(
                        thrown: error, timestamp: engine.scheduler.now, url: urlString, method: method)))
        }
    }

    /// Lists a request until it has ended (4.8): the result of the decorators, and each request that is
    /// started on its own, for example a repeat or one from a chain (D5). It is listed only once, even if
    /// this is called repeatedly.
    ///
    /// - Parameter first: Whether it leaves the list before the existing hooks run: for hooks of its caller,
    ///   not of decorators (30).
    func track(_ request: Request, first: Bool = false) {
        guard !allRequests.contains(identical: request) else { return }
        allRequests.append(request)
        // The list keeps the request alive as long as the hook may run.
        request.onCompletion(first: first) { [unowned request] _ in
            self.allRequests.remove(identical: request)
        }
    }

    /// The options as edits of the draft, in the order of 6.8: the body's type replaces a configured one, and
    /// the caller's mutation comes last.
    func mutations(
        for options: RequestOptions
    ) throws(RequestError.CauseError) -> [RequestMutation] {
        var mutations: [RequestMutation] = []
        if !options.query.isEmpty {
            let query = options.query
            mutations.append { draft in
                guard let url = URLText(draft.url) else { return }
                draft.url = url.withParams(query.map { ($0.name, $0.values ?? []) }).string
            }
        }
        if !options.headers.isEmpty || !options.headers.omitted.isEmpty {
            let headers = options.headers
            mutations.append { draft in
                for name in headers.omitted { draft.headers.omit(name) }
                draft.headers.replace(by: headers)
            }
        }
        if let body = options.body {
            let (payload, type) = try body.encode(contentType: options.contentType)
            let named = options.contentType == nil && options.headers.contains("Content-Type") ? nil : type
            mutations.append { draft in
                draft.payload = payload
                // For a repeated request: a file may have been removed meanwhile.
                try draft.upload?.check()
                if let named { draft.headers.set("Content-Type", named) }
            }
        } else if let type = options.contentType {
            mutations.append { $0.headers.set("Content-Type", type) }
        }
        if let key = options.idempotencyKey {
            mutations.append { $0.headers.set(IdempotencyKey.header, key) }
        }
        if let mutate = options.mutate { mutations.append(mutate) }
        return mutations
    }
}

extension Array where Element: AnyObject {
    // Loops without closures: the standard library would check the isolation of a closure of the loop for
    // each element, which takes ten times as long as the comparison.

    /// Whether this object is in the array, by identity.
    func contains(identical object: Element?) -> Bool {
        for element in self where element === object { return true }
        return false
    }

    /// Removes this object, by identity; no effect if it isn't there.
    mutating func remove(identical object: Element?) {
        for index in indices where self[index] === object {
            remove(at: index)
            return
        }
    }
}
