import Platform
public import RestEngine

/// An API without a server: stubs answer its requests, on a clock that stands still.
///
/// ```swift
/// let api = try await StubbedAPI(baseURL: "https://api.test/v1/")
/// try await api.stub(.get, "users/*", .response(503), .json(#"{"login": "octocat"}"#))
/// let users = try api.service.endpoint("users")
/// let user = try await api.clock.run { try await users.get("octocat", as: User.self)() }
/// ```
///
/// Everything between a call and its transport works as in a program: blocks, transformers, caches, retries.
@EngineActor
public final class StubbedAPI {
    /// Sends the requests of ``service``, and of other services that are made with it.
    public nonisolated let engine: Engine
    /// A service with the base URL.
    public nonisolated let service: Service
    /// The time.
    public nonisolated let clock: TestClock
    let transport: StubTransport
    /// The stubs, the newest last.
    public private(set) var stubs: [Stub] = []
    var recordings: [RecordedAnswers] = []

    /// - Parameters:
    ///   - baseURL: Of the service, and of the URLs of stubs.
    ///   - name: The name of the service, in logs and errors.
    ///   - clock: Several APIs may share one.
    /// - Throws: `BaseURLError` for text that is no http or https URL.
    public init(
        baseURL: String = "https://api.test/", name: String = "api", clock: TestClock? = nil
    ) throws(BaseURLError) {
        let clock = clock ?? TestClock()
        self.clock = clock
        transport = StubTransport(scheduler: clock.scheduler, isLimited: true)
        engine = Engine(transport: transport, clock: clock)
        service = try Service(engine: engine, name: name, baseURL: baseURL)
        transport.unmatchedMessage = { [weak self] in self?.unmatched($0).description ?? "the test is over" }
        let others = clock.waiting
        clock.waiting = { [weak self] in others() + (self?.waiting ?? []) }
    }

    // MARK: Stubs

    /// Answers requests of a method, or of any if it is nil. Among stubs that match, the newest answers.
    ///
    /// - Parameters:
    ///   - method: The method; nil for any.
    ///   - url: A path below the base URL, or a whole URL; `*` stands for any part of a segment, `**` for any
    ///     segments. A query matters only if it is given.
    ///   - headers: Values that the request must have, by the names of headers, in any case.
    ///   - body: The bytes that the request must have; nil: any body, or none.
    ///   - replies: One for each request in turn; the last one answers all further requests. Without any,
    ///     it is an empty response with the status 200.
    /// - Throws: `PatternError` for a URL that is no pattern.
    @discardableResult
    public func stub(
        _ method: Method?, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        _ replies: Reply...
    ) throws(PatternError) -> Stub {
        var left = (replies.isEmpty ? [.response(200)] : replies)[...]
        return try stub(method, url, headers: headers, body: body) { _ in
            left.count > 1 ? left.removeFirst() : left[left.startIndex]
        }
    }

    /// The same with a reply that is made for each request.
    @discardableResult
    public func stub(
        _ method: Method?, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        reply: @escaping @EngineActor (TransportRequest) -> Reply
    ) throws(PatternError) -> Stub {
        let condition = StubCondition(headers: headers.mapValues { .value($0) }, body: body)
        let made = Stub(
            try transport.stub(
                method: method, urlGlob: url, base: url.contains("://") ? nil : service.baseURL,
                when: condition
            ) { reply($0).reply })
        stubs.append(made)
        return made
    }

    /// Forgets stubs, recordings and requests. Requests that are under way go on.
    public func reset() {
        transport.clear()
        (stubs, recordings) = ([], [])
    }

    // MARK: What was sent

    /// All requests that were sent, in order. An upload is a body, as a server would get it.
    public var requests: [TransportRequest] { transport.requests }

    /// The requests of a method, or of any if it is nil, to a URL as in ``stub(_:_:headers:body:_:)``.
    ///
    /// - Throws: `PatternError` for a URL that is no pattern.
    public func requests(_ method: Method?, _ url: String) throws(PatternError) -> [TransportRequest] {
        let pattern = try GlobPattern(url, base: url.contains("://") ? nil : service.baseURL)
        return transport.requests.filter { request in
            guard method == nil || method?.rawValue == request.method, let sent = URLText(request.url) else {
                return false
            }
            return pattern.matches(sent) || pattern.matchesWhole(sent)
        }
    }

    /// The stubs that have answered no request.
    public var unusedStubs: [Stub] { stubs.filter(\.requests.isEmpty) }

    /// The requests that no stub and no recording answered. Each failed with this text.
    public var unmatchedRequests: [UnmatchedRequest] { transport.unmatched.map { unmatched($0) } }

    /// Call it at the end of a test whose code hides errors.
    ///
    /// - Throws: ``UnmatchedRequests`` if there is an ``unmatchedRequests``.
    public func requireAllMatched() throws(UnmatchedRequests) {
        let unmatched = unmatchedRequests
        if !unmatched.isEmpty { throw UnmatchedRequests(requests: unmatched) }
    }

    // MARK: Errors

    private func unmatched(_ request: TransportRequest) -> UnmatchedRequest {
        let nearest = transport.nearest(to: request).first
        let hasAddress = URLText(request.url).map { nearest?.hasAddress(of: request, $0) ?? false } ?? false
        return UnmatchedRequest(
            request, nearest: nearest?.summary, hasAddress: hasAddress, miss: recordings.last?.miss(request))
    }

    private var waiting: [String] {
        stubs.filter { $0.heldRequests > 0 }.map {
            let count = "\($0.heldRequests) request\($0.heldRequests == 1 ? "" : "s")"
            return "the stub \($0) holds \(count): release() lets go"
        }
    }
}
