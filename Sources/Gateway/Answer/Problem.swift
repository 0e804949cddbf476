import RestEngine

/// A failure as clients see it: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable, Equatable {
    var status: Int
    var detail: String
    /// A bounded name, for programs.
    var code: String
    /// The upstream's URL, without what may be secret.
    var url: String?
    var attempt: Int?
    /// Names that would have worked.
    var services: [String]?
    /// Fields of the answer's head that belong to the failure.
    var allow: [String]?
    var retryAfter: Int?
    var asksForToken = false
    var contentRange: String?
    /// Of the API, for a client that it does not let in (RFC 9110 11.6.1).
    var challenges: [String] = []
    /// More members of the answer's object.
    var members: [ControlProblem.Member] = []

    init(_ status: Int, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    init(_ fault: RequestFault) { self.init(fault.status, fault.code, fault.detail) }

    init(_ problem: ControlProblem) {
        self.init(problem.status, problem.code, problem.detail)
        members = problem.members
    }

    var reply: Reply {
        var pairs: [(String, Tree)] = [
            ("type", "about:blank"), ("title", Tree(StatusPhrase.text(for: status))),
            ("status", Tree(status)),
            ("detail", Tree(detail)), ("code", Tree(code)),
        ]
        if let url { pairs.append(("url", Tree(url))) }
        if let attempt { pairs.append(("attempt", Tree(attempt))) }
        if let services { pairs.append(("services", Tree(services.map { Tree($0) }))) }
        pairs += members.map { ($0.name, $0.value) }
        var reply = Reply(status, json: Tree(pairs: pairs), type: "application/problem+json")
        if let allow { reply.fields.append(("Allow", allow.joined(separator: ", "))) }
        if let retryAfter { reply.fields.append(("Retry-After", "\(retryAfter)")) }
        if let contentRange { reply.fields.append(("Content-Range", contentRange)) }
        for challenge in challenges { reply.fields.append(("WWW-Authenticate", challenge)) }
        if asksForToken { reply.fields.append(("WWW-Authenticate", "Bearer")) }
        return reply
    }
}

extension Problem {
    static var unauthorized: Problem {
        var problem = Problem(401, "unauthorized", "a bearer token is needed")
        problem.asksForToken = true
        return problem
    }

    /// - Parameter canBeListed: A script can name it as one of its own.
    static func wrongHost(_ value: UnsafeRawBufferPointer, canBeListed: Bool) -> Problem {
        let name = HostNames.host(of: String(decoding: value, as: UTF8.self))
        var detail = "this gateway does not answer to the name in Host"
        if canBeListed, HostNames.isName(name) {
            detail =
                "this gateway does not answer to '\(name)', the name in Host: if it is its own, list it, "
                + "rest.gateway { server_names = { \"\(name)\" } }"
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
        var problem = Problem(429, "rate_limited", "this client asks more often than the gateway lets it")
        problem.retryAfter = max(1, Int(min(seconds, 86_400).rounded(.up)))
        return problem
    }

    /// - Parameter what: `requests`, `streams`.
    static func tooMany(_ what: String) -> Problem {
        var problem = Problem(
            429, "too_many_\(what)", "this client has as many \(what) under way as the gateway lets it")
        problem.retryAfter = 1
        return problem
    }

    static var tooManyConnections: Problem {
        var problem = Problem(503, "too_many_connections", "the gateway has as many connections as it may")
        problem.retryAfter = 1
        return problem
    }

    /// - Parameter methods: those of the path; OPTIONS is one of each.
    static func methodNotAllowed(_ method: String, _ methods: [String]) -> Problem {
        let methods = Reply.allowed(methods)
        var problem = Problem(
            405, "method_not_allowed",
            "\(method) is not possible here; there are \(methods.joined(separator: ", "))")
        problem.allow = methods
        return problem
    }

    static func unknownMethod(_ method: String) -> Problem {
        Problem(501, "unknown_method", "nothing here has the method \(method)")
    }

    static var tooManyBodies: Problem {
        var problem = Problem(
            503, "too_many_bodies", "the gateway holds as many bodies as it may")
        problem.retryAfter = 1
        return problem
    }

    /// RFC 9111 5.2.1.7.
    static var notCached: Problem {
        Problem(504, "not_cached", "there is no such answer in memory, and Cache-Control said only-if-cached")
    }

    /// - Parameter hasStream: Events are to be had of it too.
    static func notAcceptable(_ content: EncodedContent, hasStream: Bool) -> Problem {
        let types = [ContentRendering.typeField(of: content)] + (hasStream ? ["text/event-stream"] : [])
        var problem = Problem(
            406, "not_acceptable", "Accept has none of what there is: \(types.joined(separator: ", "))")
        problem.members = [.init("available", Tree(types.map { Tree($0) }))]
        return problem
    }

    /// A precondition names a state of which nobody knows whether it still is the API's.
    static var untoldState: Problem {
        Problem(
            412, "state_unknown",
            "the API gave what was read here no ETag, so nothing can tell whether it has changed: only a request without If-Match can be made"
        )
    }

    static var changedPart: Problem {
        Problem(
            502, "part_changed",
            "a transformer has changed the part that the API answered with, so it is a part of nothing any more"
        )
    }

    /// The load itself goes on.
    static var overdue: Problem {
        Problem(504, "gateway_timeout", "no answer came within the time that the gateway gives a request")
    }
}

/// An answer that is made for one request: everything but the content of resources.
struct Reply: Sendable {
    var status: Int
    var fields: [(String, String)]
    var body: [UInt8]
    /// False for an answer to HEAD whose content nobody has seen (RFC 9110 9.3.2).
    var saysLength = true

    /// About the server as a whole (RFC 9110 9.3.7).
    init(allowing methods: [String]) {
        status = 204
        fields = [("Allow", Self.allowed(methods).joined(separator: ", "))]
        body = []
    }

    /// With OPTIONS, which the gateway answers itself, and each once.
    static func allowed(_ methods: [String]) -> [String] {
        var seen: Set<String> = []
        return (methods + ["OPTIONS"]).filter { seen.insert($0).inserted }
    }

    /// Facts about the host, masked.
    init(_ status: Int, json: Tree, type: String = "application/json") {
        self.status = status
        fields = [("Content-Type", type), ("Cache-Control", "no-store")]
        body = MaskedText(json: json).bytes
    }

    init(_ status: Int, text: String, type: String) {
        self.status = status
        fields = [("Content-Type", type), ("Cache-Control", "no-store")]
        body = Array(text.utf8)
    }
}
