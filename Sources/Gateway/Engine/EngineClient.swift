import RestEngine

/// The gateway's requests to the engine. Everything here runs on the engine loop.
final class EngineClient: Sendable {
    let directory: any GatewayDirectory
    let control: (any HostControl)?
    let rules: GatewayRules
    let uptime: @Sendable () -> Double
    let metrics: GatewayMetrics
    private let interest = LoadInterest()
    private let lives = LiveResources()
    let events = HostEvents()
    let failures: FailureLog
    let peers: (any GatewayPeers)?
    /// See ``GatewayConfiguration/showsScriptErrors``.
    let showsScriptErrors: Bool

    init(
        directory: any GatewayDirectory, control: (any HostControl)?, rules: GatewayRules,
        _ configuration: GatewayConfiguration, metrics: GatewayMetrics
    ) {
        failures = FailureLog(configuration.onFailure, events: control?.failures)
        showsScriptErrors = configuration.showsScriptErrors
        peers = configuration.peers
        self.metrics = metrics
        uptime = configuration.uptime
        self.directory = directory
        self.control = control
        self.rules = rules
    }

    enum Outcome: Sendable {
        case answer(PublishedAnswer, CacheStatus, Shown)
        case reply(Reply)
        /// The content of one client's own read, with its fields.
        case own(EncodedContent, [(String, String)])
        /// An answer whose body follows it.
        case body(StreamedAnswer)
        case problem(Problem)

        var isOfNoService: Bool {
            if case .problem(let problem) = self { problem.code == Problem.unknownService } else { false }
        }
    }

    /// Describes how the same target may be answered without the engine from now on.
    final class Shown: Sendable {
        let answerSnapshot: AnswerSnapshot
        let methods: [String]
        let forwarded: ForwardedHeaders
        /// The times of a request that took several messages; for `Server-Timing`.
        let timing: String?
        /// The version of the rules that allow it; see ``GatewayRules``.
        let version: Int
        /// The labels of its metrics; see ``GatewayMetrics``.
        let labels: Int
        /// The answer belongs to a partition, so the target alone doesn't lead to it.
        let isPrivate: Bool

        init(
            answerSnapshot: AnswerSnapshot, methods: [String], forwarded: ForwardedHeaders,
            timing: String? = nil, version: Int, labels: Int = GatewayMetrics.noLabels,
            isPrivate: Bool = false
        ) {
            (self.answerSnapshot, self.methods, self.forwarded) = (answerSnapshot, methods, forwarded)
            (self.timing, self.version, self.labels) = (timing, version, labels)
            self.isPrivate = isPrivate
        }

        /// A copy with the times of a request.
        func taking(_ timing: String) -> Shown {
            Shown(
                answerSnapshot: answerSnapshot, methods: methods, forwarded: forwarded, timing: timing,
                version: version, labels: labels, isPrivate: isPrivate)
        }
    }

    /// The timeout of a request in seconds, unless its resource's configuration has another total time.
    static let usualTimeout = timeout(Timeouts())

    /// A request may stand for two: itself, and one that renews its token. If the configuration has no limit,
    /// the usual one applies here.
    static func timeout(_ timeouts: Timeouts) -> Double {
        2 * (timeouts.totalSeconds > 0 ? timeouts.totalSeconds : Timeouts().totalSeconds)
    }

    /// A client's request for a resource's content.
    struct Question: Sendable {
        var path: ResourcePath
        let method: String
        let accessPolicy: AccessPolicy
        var directives = CacheDirectives()
        /// The fields of its head.
        var fields = RequestFields.none
        /// The client's request.
        var origin: RequestOrigin?
        /// Lets the client end the wait.
        let pendingRead: PendingRead
    }

    /// `completion` is called exactly once, maybe before this returns. If the answer takes time, `waiting` is
    /// called before, with the request's timeout in seconds, unless it is the usual one.
    @EngineActor
    func read(
        _ question: Question, waiting: @EngineActor (Double) -> Void,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        let found: (Resource, [String])
        do { found = try resource(at: question.path, method: question.method, question.accessPolicy) } catch {
            return completion(.problem(error))
        }
        let (resource, methods) = found
        let shown = Shown(
            answerSnapshot: resource.answerSnapshotForReaders(preparing: ContentRendering.prepare),
            methods: methods, forwarded: forwarded(of: resource), version: rules.version,
            labels: labels(of: resource, resource.service, question.method),
            isPrivate: resource.partition != nil)
        question.pendingRead.labels = shown.labels
        let start = resource.engine.scheduler.uptime
        if question.directives.isUsual {
            if let answer = shown.answerSnapshot.answer(at: start) {
                return completion(.answer(answer, .hit(.memory), shown))
            }
            return load(resource, question, shown, since: start, waiting: waiting, completion)
        }
        var latest: Result<PublishedAnswer, RequestError>?
        var isHere = false
        // Small content is encoded at once. For large content a new load takes no longer than encoding.
        resource.encodeLatest {
            latest = $0
            isHere = true
        }
        if isHere, case .success(let answer)? = latest, question.directives.accepts(answer, at: start) {
            return completion(.answer(answer, .hit(.memory), shown))
        }
        guard !question.directives.isOnlyIfCached else { return completion(.problem(.notCached)) }
        load(resource, question, shown, since: start, waiting: waiting, completion)
    }

    @EngineActor
    private func load(
        _ resource: Resource, _ question: Question, _ shown: Shown, since start: Double,
        waiting: @EngineActor (Double) -> Void, _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        let resolved = resource.resolvedConfiguration(for: "GET")
        if resolved.configuration.stream == .body {
            return stream(resource, question, shown.forwarded, completion)
        }
        let timeout = Self.timeout(resolved.configuration.timeouts)
        if timeout != Self.usualTimeout { waiting(timeout) }
        let running = resolved.configuration.isCollapsing ? resource.currentLoad : nil
        let interest = running?.interest ?? 0
        let held = resource.dataTime
        let status = CacheStatus.forwarded(isStale: held != nil, isCollapsed: running != nil)
        let (pendingRead, path, always) = (question.pendingRead, question.path, !question.directives.isUsual)
        let asked = AskedRequest()
        let request = WorkScope.serving(question.origin) {
            resource.readServedAnswer(always: always) { result, reason in
                pendingRead.use()
                let request = asked.end()
                switch result {
                case .success(let answer):
                    if let reason { return completion(.answer(answer, .stale(reason.name), shown)) }
                    let shown = request?.timing.map(shown.taking) ?? shown
                    guard answer.timestamp < start else { return completion(.answer(answer, status, shown)) }
                    // The data is older than this request and memory didn't have it, so it comes from one of
                    // the resource's caches.
                    let source: CacheStatus.Source = answer.timestamp == held ? .memory : .cache
                    completion(.answer(answer, .hit(source), shown))
                case .failure(let error):
                    let problem = self.problem(of: error, question.method, path, question.origin)
                    completion(.problem(problem))
                }
            }
        }
        guard let request else { return }
        asked.begin(request)
        self.interest.join(
            pendingRead, request, of: resource, isNew: running == nil && request.state == .inProgress,
            before: interest)
    }

    /// Begins a stream, now or later, or returns the problem.
    @EngineActor
    func subscribe(
        _ subscription: LiveResource.Subscription, to path: ResourcePath, _ accessPolicy: AccessPolicy,
        _ origin: RequestOrigin?
    ) -> Problem? {
        do throws(Problem) {
            let (resource, _) = try resource(at: path, method: "GET", accessPolicy)
            WorkScope.serving(origin) { lives.live(resource, at: path).subscribe(subscription) }
            return nil
        } catch { return error }
    }

    /// The path still leads to this resource, and may be read.
    @EngineActor
    func shows(_ known: Resource, at path: ResourcePath, _ accessPolicy: AccessPolicy) -> Bool {
        (try? resource(at: path, method: "GET", accessPolicy).resource === known) ?? false
    }

    @EngineActor
    func resource(
        at path: ResourcePath, method: String, _ accessPolicy: AccessPolicy
    ) throws(Problem) -> (resource: Resource, methods: [String]) {
        guard let service = shownService(named: path.service, accessPolicy) else {
            throw unknownService(path.service, accessPolicy)
        }
        let methods = accessPolicy.methods(of: path.service)
        guard methods.contains(method) else {
            var problem = Problem.methodNotAllowed(method, methods)
            problem.detail = "\(method) is not exposed for the service '\(path.service)'"
            throw problem
        }
        if let resource = accessPolicy.known.resource(at: path, of: service) { return (resource, methods) }
        let url = try exposedURL(of: path, in: service, accessPolicy)
        let resource = service.resource(absoluteURL: url.string, partition: path.partition)
        accessPolicy.known.remember(resource, at: path)
        return (resource, methods)
    }

    @EngineActor
    func exposedURL(
        of path: ResourcePath, in service: Service, _ accessPolicy: AccessPolicy
    ) throws(Problem) -> URLText {
        guard let base = service.baseURL else {
            throw Problem(404, "no_base_url", "the service '\(path.service)' has no base_url")
        }
        if let validationError = PathText.validationError(to: "/" + path.path) {
            throw Problem(400, "bad_path", "the path \(validationError)")
        }
        guard let url = path.upstreamURL(below: base) else {
            throw Problem(400, "bad_path", "the path and the base URL of the service make no URL")
        }
        guard accessPolicy.isExposed(url, service: path.service, base: base) else {
            throw Problem(404, "not_exposed", "this path of the service '\(path.service)' is not exposed")
        }
        return url
    }

    /// The names of services that clients may reach.
    @EngineActor
    func serviceNames(_ accessPolicy: AccessPolicy) -> [String] {
        directory.serviceNames.filter(accessPolicy.isExposed(service:)).sorted()
    }

    /// Nil also for a service that isn't exposed.
    @EngineActor
    func shownService(named name: String, _ accessPolicy: AccessPolicy) -> Service? {
        accessPolicy.isExposed(service: name) ? directory.service(named: name) : nil
    }

    @EngineActor
    func unknownService(_ name: String, _ accessPolicy: AccessPolicy) -> Problem {
        let text =
            name.isEmpty ? "the path names no service: /SERVICE/PATH" : "there is no service '\(name)'"
        var problem = Problem(404, Problem.unknownService, text)
        problem.services = serviceNames(accessPolicy)
        return problem
    }
}

/// The request behind a read, which is known once the read has begun. The read's end is a hook of that
/// request, and releases it. A weak reference would slow down each retain and release of the request.
@EngineActor
private final class AskedRequest {
    private var request: Request?
    private var hasEnded = false

    func begin(_ request: Request) {
        if !hasEnded { self.request = request }
    }

    func end() -> Request? {
        defer { (request, hasEnded) = (nil, true) }
        return request
    }
}

extension Request {
    /// The messages of a request that took several (Server Timing, W3C): `attempt-1;dur=12.5;desc="503"`.
    fileprivate var timing: String? {
        guard isOfManyMessages else { return nil }
        let last = attempts.suffix(10)
        return last.map { attempt in
            let time = (attempt.timings.totalSeconds * 10_000).rounded() / 10
            let outcome = attempt.status.map { "\($0)" } ?? attempt.error?.code.rawValue ?? ""
            return "attempt-\(attempt.number);dur=\(time);desc=\"\(outcome)\""
        }.joined(separator: ", ")
    }
}
