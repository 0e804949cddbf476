import RestEngine

extension EngineClient {
    /// Has a route answer. With an expiration time the answer to a GET is kept, and made once for all who ask
    /// meanwhile. `completion` is called exactly once, maybe before this returns.
    @EngineActor
    func answer(
        _ entry: RouteTable.Entry, _ request: ServedRequest, target: [UInt8], _ answers: RouteAnswers,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        guard let lifetime = entry.route.expirationSeconds, lifetime > 0, entry.route.method == "GET" else {
            return entry.route.handler(request) { completion(Self.outcome(of: $0)) }
        }
        let known = answers.answer(for: target)
        let shown = Shown(
            publication: known.publication, methods: ["GET", "HEAD"], passage: .own, version: rules.version,
            labels: routeLabels(entry))
        if let answer = known.publication.answer(at: uptime()) {
            return completion(.answer(answer, .hit(.memory), shown))
        }
        let isCollapsed = !known.waiters.isEmpty
        known.waiters.append { outcome in
            guard case .answer(let answer, .forwarded(let isStale, _), let shown) = outcome else {
                return completion(outcome)
            }
            completion(.answer(answer, .forwarded(isStale: isStale, isCollapsed: isCollapsed), shown))
        }
        guard !isCollapsed else { return }
        let isStale = known.publication.hasAnswer
        entry.route.handler(request) { [uptime] result in
            let waiters = known.waiters
            known.waiters = []
            var outcome = Self.outcome(of: result)
            let now = uptime()
            if case .success(let entity) = result, 200...299 ~= entity.status ?? 200,
                let content = try? EncodedContent(entity)
            {
                let answer = PublishedAnswer(content: content, timestamp: now, expiresAt: now + lifetime)
                known.publication.set(answer)
                outcome = .answer(answer, .forwarded(isStale: isStale, isCollapsed: false), shown)
            }
            for waiter in waiters { waiter(outcome) }
        }
    }

    /// A route is counted by its template.
    @EngineActor
    func routeLabels(_ entry: RouteTable.Entry) -> Int {
        metrics.isCounting
            ? metrics.labels(Self.hostService, entry.route.template) : GatewayMetrics.noLabels
    }

    private static func outcome(of result: Result<Entity, RequestError>) -> Outcome {
        switch result {
        case .failure(let error):
            return .problem(Problem(error, reading: ResourcePath(service: "", path: "", query: nil)))
        case .success(let entity):
            do throws(RequestError.CauseError) {
                let content = try EncodedContent(entity)
                return .reply(
                    Reply(
                        entity.status ?? 200, content, HeaderPassage.own.fields(of: entity.headers, from: nil)
                    ))
            } catch {
                return .problem(
                    Problem(
                        RequestError(cause: error.cause, timestamp: 0),
                        reading: ResourcePath(service: "", path: "", query: nil)))
            }
        }
    }
}
