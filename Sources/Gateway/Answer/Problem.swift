import RestEngine

/// A failure as clients see it: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable, Equatable {
    var status: Int
    var detail: String
    /// One of a fixed set of names, for programs.
    var code: String
    /// The API's own explanation, in one line, with secrets masked.
    var reason: String?
    /// The upstream's URL without parts that may be secret.
    var url: String?
    var attempt: Int?
    /// The names of services that exist.
    var services: [String]?
    /// The fields of the answer's head that belong to the failure.
    var fields: Headers
    /// Further members of the answer's object.
    var members: [ControlProblem.Member] = []

    init(_ status: Int, _ code: String, _ detail: String, _ fields: [(String, String)] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.fields = Headers(fields)
    }

    init(_ fault: RequestFault) { self.init(fault.status, fault.code, fault.detail) }

    init(_ problem: ControlProblem) {
        self.init(problem.status, problem.code, problem.detail)
        members = problem.members
    }

    var reply: Reply { Reply(self) }

    /// The object that tells it.
    ///
    /// - Parameter id: The ID of the request that failed.
    func body(_ id: String?) -> [UInt8] {
        var pairs: [(String, Tree)] = [
            ("type", "about:blank"), ("title", Tree(StatusPhrase.text(for: status))),
            ("status", Tree(status)),
            ("detail", Tree(detail)), ("code", Tree(code)),
        ]
        if let reason { pairs.append(("reason", Tree(reason))) }
        if let url { pairs.append(("url", Tree(url))) }
        if let attempt { pairs.append(("attempt", Tree(attempt))) }
        if let services { pairs.append(("services", Tree(services.map { Tree($0) }))) }
        pairs += members.map { ($0.name, $0.value) }
        if let id { pairs.append(("request_id", Tree(id))) }
        return MaskedText(json: Tree(pairs: pairs)).bytes
    }
}

extension Problem {
    /// The code of a path whose service doesn't exist or isn't shown.
    static let unknownService = "unknown_service"

    static func wrongHost(
        _ value: UnsafeRawBufferPointer, _ audience: GatewayConfiguration.Audience
    ) -> Problem {
        let name = HostNames.host(of: String(decoding: value, as: UTF8.self))
        var detail = "this gateway does not answer to the name in Host"
        if audience != .admins, HostNames.isName(name) {
            let list =
                audience == .clients
                ? "rest.gateway { server_names = { \"\(name)\" } }"
                : "in resthost.toml, [operator] server-names = [\"\(name)\"]"
            detail =
                "this gateway does not answer to '\(name)', the name in Host: if it is its own, list it, \(list)"
        }
        return Problem(421, "wrong_host", detail)
    }

    static var crossOrigin: Problem {
        Problem(
            403, "cross_origin",
            "a page of another origin may not change anything here, unless rest.gateway { cors = … } lists it"
        )
    }

    static func tooOften(_ seconds: Double) -> Problem {
        let wait = max(1, Int(min(seconds, 86_400).rounded(.up)))
        return Problem(
            429, "rate_limited", "this client sends requests more often than the gateway allows",
            [("Retry-After", "\(wait)")])
    }

    /// - Parameter what: `requests` or `streams`.
    static func tooMany(_ what: String) -> Problem {
        Problem(
            429, "too_many_\(what)", "this client has as many \(what) under way as the gateway allows",
            [("Retry-After", "1")])
    }

    static var tooManyConnections: Problem {
        Problem(
            503, "too_many_connections", "the gateway has as many connections as it may have",
            [("Retry-After", "1")])
    }

    /// - Parameter methods: The path's methods. Each path also has OPTIONS.
    static func methodNotAllowed(_ method: String, _ methods: [String]) -> Problem {
        let methods = Reply.allowed(methods).joined(separator: ", ")
        return Problem(
            405, "method_not_allowed", "\(method) is not possible here; there are \(methods)",
            [("Allow", methods)])
    }

    static func unknownMethod(_ method: String) -> Problem {
        Problem(501, "unknown_method", "no path here has the method \(method)")
    }

    static var tooManyBodies: Problem {
        Problem(
            503, "too_many_bodies", "the gateway holds as many request bodies as it may",
            [("Retry-After", "1")])
    }

    /// RFC 9111 5.2.1.7.
    static var notCached: Problem {
        Problem(504, "not_cached", "there is no such answer in memory, and Cache-Control said only-if-cached")
    }

    /// - Parameter hasStream: The resource also has a stream of events.
    static func notAcceptable(_ content: EncodedContent, hasStream: Bool) -> Problem {
        let types = [ContentRendering.typeField(of: content)] + (hasStream ? ["text/event-stream"] : [])
        var problem = Problem(
            406, "not_acceptable", "Accept excludes all available types: \(types.joined(separator: ", "))")
        problem.members = [.init("available", Tree(types.map { Tree($0) }))]
        return problem
    }

    /// The API sent no ETag with the content, so a precondition can't be checked.
    static var unknownState: Problem {
        Problem(
            412, "state_unknown",
            "the API sent no ETag with the content that was read here, so a change can't be recognised: send the request without If-Match"
        )
    }

    static var streamIsNotKept: Problem {
        Problem(
            500, "script_error",
            "the route has an 'expiration_time', and its answer is a stream, which can't be kept")
    }

    static var changedPart: Problem {
        Problem(
            502, "part_changed",
            "a transformer has changed the range that the API sent, so it is no part of the content any more"
        )
    }

    /// The client gets this answer while the load goes on.
    static var overdue: Problem {
        Problem(504, "gateway_timeout", "no answer came within the time that the gateway gives a request")
    }
}

/// An answer that is made for one request. Contents of resources don't go out in this form.
struct Reply: Sendable {
    var status: Int
    /// The type of the body; nil if none is sent.
    var type: String?
    var fields: [(String, String)] = []
    var freshness: Freshness? = .unstored
    var body: [UInt8]
    /// False for an answer to HEAD whose length is unknown, because the content was not read (RFC 9110
    /// 9.3.2).
    var saysLength = true
    /// The problem that it tells, whose object is its body; nil for another answer.
    private(set) var problem: Problem?
    /// The code of the problem.
    var code: String? { problem?.code }

    /// RFC 9110 8.6: a 204 has no length.
    var content: ContentFields {
        ContentFields(type: type, length: saysLength && status != 204 ? body.count : nil)
    }

    /// Answers OPTIONS for the server as a whole (RFC 9110 9.3.7).
    init(allowing methods: [String]) {
        status = 204
        fields = [("Allow", Self.allowed(methods).joined(separator: ", "))]
        freshness = nil
        body = []
    }

    /// The methods without repetition, and OPTIONS, which the gateway answers itself.
    static func allowed(_ methods: [String]) -> [String] {
        var seen: Set<String> = []
        return (methods + ["OPTIONS"]).filter { seen.insert($0).inserted }
    }

    /// Facts about the host. Secrets in them are masked.
    init(_ status: Int, json: Tree, type: String = "application/json") {
        (self.status, self.type) = (status, type)
        body = MaskedText(json: json).bytes
    }

    init(_ problem: Problem) {
        (status, type, body) = (problem.status, "application/problem+json", [])
        fields = problem.fields.fields.map { ($0.name, $0.value) }
        self.problem = problem
    }

    /// The reply to the request with this ID, which a problem tells.
    func telling(_ id: String) -> Reply {
        guard let problem else { return self }
        var reply = self
        reply.body = problem.body(id)
        return reply
    }

    init(_ status: Int, text: String, type: String) {
        (self.status, self.type) = (status, type)
        body = Array(text.utf8)
    }
}
