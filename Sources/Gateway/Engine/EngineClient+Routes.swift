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
            // A change that was made is reported in any form.
            let isRead = entry.route.method == "GET"
            let accepted = isRead ? request.headers["Accept"].map(AcceptedTypes.init) : nil
            return entry.route.handler(request) { completion(Self.outcome(of: $0, accepted)) }
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

    /// - Parameter accepted: the types that a success may have; nil: any.
    private static func outcome(
        of result: Result<Entity, RequestError>, _ accepted: AcceptedTypes? = nil
    ) -> Outcome {
        do throws(RequestError) { return try reply(result.get(), accepted) } catch {
            return .problem(Problem(error, reading: ResourcePath(service: "", path: "", query: nil)))
        }
    }

    private static func reply(
        _ entity: Entity, _ accepted: AcceptedTypes?
    ) throws(RequestError) -> Outcome {
        let status = entity.status ?? 200
        do throws(RequestError.CauseError) {
            // RFC 9110 15: another answer would follow a status below, and one above is nobody's.
            guard 200...599 ~= status else {
                throw RequestError.CauseError(
                    .scriptError(
                        .init(message: "a route's 'status' is a number from 200 to 599, and not \(status)")))
            }
            let content = try EncodedContent(entity)
            let hasContent = status != 204 && status != 205
            if hasContent, 200...299 ~= status,
                accepted?.quality(of: MediaType(content.contentType).essence) == 0
            {
                return .problem(.notAcceptable(content, hasStream: false))
            }
            return .reply(
                Reply(status, content, HeaderPassage.own.fields(of: entity.headers, from: nil)))
        } catch { throw RequestError(cause: error.cause, timestamp: 0) }
    }
}
