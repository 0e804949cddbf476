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
    /// Those of the answer's head that belong to the failure.
    var fields: Headers
    /// More members of the answer's object.
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
        reply.fields = fields.fields.map { ($0.name, $0.value) }
        return reply
    }
}

extension Problem {
    static var unauthorized: Problem {
        Problem(401, "unauthorized", "a bearer token is needed", [("WWW-Authenticate", "Bearer")])
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
        let wait = max(1, Int(min(seconds, 86_400).rounded(.up)))
        return Problem(
            429, "rate_limited", "this client asks more often than the gateway lets it",
            [("Retry-After", "\(wait)")])
    }

    /// - Parameter what: `requests`, `streams`.
    static func tooMany(_ what: String) -> Problem {
        Problem(
            429, "too_many_\(what)", "this client has as many \(what) under way as the gateway lets it",
            [("Retry-After", "1")])
    }

    static var tooManyConnections: Problem {
        Problem(
            503, "too_many_connections", "the gateway has as many connections as it may",
            [("Retry-After", "1")])
    }

    /// - Parameter methods: those of the path; OPTIONS is one of each.
    static func methodNotAllowed(_ method: String, _ methods: [String]) -> Problem {
        let methods = Reply.allowed(methods).joined(separator: ", ")
        return Problem(
            405, "method_not_allowed", "\(method) is not possible here; there are \(methods)",
            [("Allow", methods)])
    }

    static func unknownMethod(_ method: String) -> Problem {
        Problem(501, "unknown_method", "nothing here has the method \(method)")
    }

    static var tooManyBodies: Problem {
        Problem(
            503, "too_many_bodies", "the gateway holds as many bodies as it may", [("Retry-After", "1")])
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
    static var unknownState: Problem {
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
    /// Of its body; nil where nothing is said of it.
    var type: String?
    var fields: [(String, String)] = []
    var freshness: Freshness? = .unstored
    var body: [UInt8]
    /// False for an answer to HEAD whose content nobody has seen (RFC 9110 9.3.2).
    var saysLength = true

    /// RFC 9110 8.6: without content there is no length of it.
    var content: ContentFields {
        ContentFields(type: type, length: saysLength && status != 204 ? body.count : nil)
    }

    /// About the server as a whole (RFC 9110 9.3.7).
    init(allowing methods: [String]) {
        status = 204
        fields = [("Allow", Self.allowed(methods).joined(separator: ", "))]
        freshness = nil
        body = []
    }

    /// With OPTIONS, which the gateway answers itself, and each once.
    static func allowed(_ methods: [String]) -> [String] {
        var seen: Set<String> = []
        return (methods + ["OPTIONS"]).filter { seen.insert($0).inserted }
    }

    /// Facts about the host, masked.
    init(_ status: Int, json: Tree, type: String = "application/json") {
        (self.status, self.type) = (status, type)
        body = MaskedText(json: json).bytes
    }

    init(_ status: Int, text: String, type: String) {
        (self.status, self.type) = (status, type)
        body = Array(text.utf8)
    }
}
