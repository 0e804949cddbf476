import RestEngine

extension EngineClient {
    /// Lets a route answer. With an expiration time the answer to a GET is kept. If it is the route's, the
    /// answer is made once for all clients that ask meanwhile. `completion` is called exactly once, maybe
    /// before this returns.
    @EngineActor
    func answer(
        _ entry: RouteTable.Entry, _ request: ServedRequest, target: [UInt8],
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        guard let answers = entry.answers, let engine = directory.engine,
            let resource = answers.resource(for: target, in: request.partition, engine)
        else { return answerAnew(entry, request, target: target, completion) }
        let shown = shown(resource, by: entry)
        if let answer = shown.answerSnapshot.answer(at: uptime()) {
            return completion(.answer(answer, .hit(.memory), shown))
        }
        guard answers.isShared else { return answerAnew(entry, request, target: target, completion) }
        let isCollapsed = answers.isMaking(resource)
        let status = CacheStatus.forwarded(isStale: resource.dataTime != nil, isCollapsed: isCollapsed)
        answers.join(resource) { outcome in
            guard let outcome else {
                return self.answerAnew(entry, request, target: target, completion)
            }
            guard case .answer(let answer, _, _) = outcome else { return completion(outcome) }
            completion(.answer(answer, status, shown))
        }
        guard !isCollapsed else { return }
        let shared = SharedServedRequest(request)
        WorkScope.serving(request.origin) {
            entry.route.handler(shared.request) { result in
                // All that waited here get an answer of their own. Each request from now on has one, too.
                if shared.isPersonal { return answers.endPersonal(resource) }
                if case .success(.stream) = result {
                    return answers.end(resource, with: .problem(.streamIsNotKept))
                }
                guard case .success(.content(let entity, let seconds)) = result,
                    200...299 ~= entity.status ?? 200
                else { return answers.end(resource, with: self.outcome(of: result, request)) }
                self.keep(entity, in: resource, seconds, status, shown, request) {
                    answers.end(resource, with: $0)
                }
            }
        }
    }

    @EngineActor
    private func shown(_ resource: Resource, by entry: RouteTable.Entry) -> Shown {
        Shown(
            answerSnapshot: resource.answerSnapshotForReaders(preparing: ContentRendering.prepare),
            methods: ["GET", "HEAD"], forwarded: .own, version: rules.version, labels: routeLabels(entry),
            isPrivate: resource.partition != nil)
    }

    /// Lets a route answer one request. `completion` is called exactly once, maybe before this returns.
    @EngineActor
    private func answerAnew(
        _ entry: RouteTable.Entry, _ request: ServedRequest, target: [UInt8],
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        // A change has been made, so its result is reported in any type.
        let isRead = entry.route.method == "GET"
        let accepted = isRead ? request.headers["Accept"].map(AcceptedTypes.init) : nil
        let known = isRead ? request.headers["If-None-Match"] : nil
        let reads = OwnReads(partition: request.partition)
        var own = request
        if isRead { own.onRead = reads.note }
        WorkScope.serving(request.origin) {
            entry.route.handler(own) { result in
                if isRead, !reads.isPersonal, case .success(.content(let entity, let seconds?)) = result,
                    seconds > 0, 200...299 ~= entity.status ?? 200, let engine = self.directory.engine,
                    let resource = entry.answers?.resource(
                        for: target, in: request.partition, engine, keeping: true)
                {
                    return self.keep(
                        entity, in: resource, seconds, .forwarded(isStale: false, isCollapsed: false),
                        self.shown(resource, by: entry), request, completion)
                }
                completion(self.outcome(of: result, request, accepted, known: known))
            }
        }
    }

    /// - Parameter seconds: The time for which the answer is kept; nil: the route's.
    @EngineActor
    private func keep(
        _ entity: Entity, in resource: Resource, _ seconds: Double?, _ status: CacheStatus, _ shown: Shown,
        _ request: ServedRequest, _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        Self.keep(entity, in: resource, seconds) { made in
            switch made {
            case .success(let answer): completion(.answer(answer, status, shown))
            case .failure(let error): completion(.problem(self.problem(of: error, answering: request)))
            }
        }
    }

    /// Makes the answer the data of its resource, and gives the form that goes out. An answer that is too
    /// large for the content budget isn't kept.
    @EngineActor
    private static func keep(
        _ entity: Entity, in resource: Resource, _ seconds: Double?,
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>) -> Void
    ) {
        let scheduler = resource.engine.scheduler
        let (now, uptime) = (scheduler.now, scheduler.uptime)
        var entity = entity
        entity.timestamp = now
        guard resource.refusal(of: entity) != nil || seconds == 0 else {
            resource.overrideLocalData(entity, expirationSeconds: seconds)
            return resource.encodeLatest { if let made = $0 { completion(made) } }
        }
        do throws(RequestError.CauseError) {
            // The answer is fresh for the clients that wait for it, and for no others.
            let content = try EncodedContent(entity)
            completion(.success(PublishedAnswer(content: content, timestamp: uptime, expiresAt: uptime)))
        } catch { completion(.failure(RequestError(cause: error.cause, timestamp: now))) }
    }

    /// A route is counted by its template.
    @EngineActor
    func routeLabels(_ entry: RouteTable.Entry) -> Int {
        metrics.isCounting
            ? metrics.labels(Self.hostService, entry.route.template) : GatewayMetrics.noLabels
    }

    /// - Parameters:
    ///   - accepted: The types that a success may have; nil means any.
    ///   - known: The tags of the contents that the client has.
    @EngineActor
    func outcome(
        of result: Result<ServedAnswer, RequestError>, _ request: ServedRequest,
        _ accepted: AcceptedTypes? = nil, known: String? = nil
    ) -> Outcome {
        do throws(RequestError) {
            switch try result.get() {
            case .content(let entity, _): return try Self.reply(entity, accepted, known)
            case .stream(let stream): return .body(StreamedAnswer(stream, for: request.origin))
            }
        } catch { return .problem(problem(of: error, answering: request)) }
    }

    private static func reply(
        _ entity: Entity, _ accepted: AcceptedTypes?, _ known: String?
    ) throws(RequestError) -> Outcome {
        let status = entity.status ?? 200
        do throws(RequestError.CauseError) {
            // RFC 9110 15: below 200 an answer would have to be followed by another, and above 599 no status
            // exists.
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
            let isKnown =
                status == 200
                && (entity.etag.map { EntityTag.list(known ?? "", contains: $0) } ?? false)
            var reply = Reply(
                isKnown ? 304 : status, content,
                ForwardedHeaders.ofRoute.fields(of: entity.headers, from: nil))
            if entity.headers.contains("Cache-Control") { reply.freshness = nil }
            return .reply(reply)
        } catch { throw RequestError(cause: error.cause, timestamp: 0) }
    }
}

/// A request without the headers of a single client, for a function whose answer goes to all clients of a
/// partition (54.2). Only the client itself can be read, and that is noted.
@EngineActor
private struct SharedServedRequest {
    private(set) var request: ServedRequest
    private let reads: OwnReads

    var isPersonal: Bool { reads.isPersonal }

    init(_ request: ServedRequest) {
        reads = OwnReads(partition: request.partition)
        self.request = ServedRequest(
            method: request.method, path: request.path, params: request.params, query: request.query,
            client: request.client, origin: request.origin)
        self.request.partition = request.partition
        self.request.onRead = { [reads] in if $0 == .client { reads.note($0) } }
    }
}

/// Notes that a function has read facts of one client, so that no other client may get its answer (77.8).
@EngineActor
private final class OwnReads {
    private(set) var isPersonal = false
    private let isPartitioned: Bool

    init(partition: String?) { isPartitioned = partition != nil }

    /// The client of a partition is the partition's, and its headers are not.
    func note(_ fact: ServedRequest.OwnFact) {
        if fact == .headers || !isPartitioned { isPersonal = true }
    }
}

extension StreamedAnswer {
    /// A body that a route writes while it is sent. The route begins when the connection takes the answer.
    init(_ stream: ServedStream, for origin: RequestOrigin?) {
        let pipe = BodyPipe()
        self.pipe = pipe
        status = stream.status
        fields = ForwardedHeaders.ofRoute.fields(of: stream.headers, from: nil)
        let type = stream.headers["Content-Type"] ?? "application/octet-stream"
        if type.utf8.allSatisfy({ HTTPByte.isFieldValue($0) }) {
            fields.insert(("Content-Type", type), at: 0)
        }
        if MediaType(type).essence == "text/event-stream" {
            isEventStream = true
            // Without this field nginx buffers the events.
            fields.append(("X-Accel-Buffering", "no"))
        }
        if stream.headers.contains("Cache-Control") { freshness = nil }
        begin = { WorkScope.serving(origin) { stream.begin(pipe) } }
    }
}
