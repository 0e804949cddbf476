/// The rules of following a redirect (RFC 9110 15.4), as a pure function.
enum Redirect {
    enum Decision: Equatable {
        /// The response stands.
        case none
        case follow(RequestStep)
        /// It would lead from https to http; the text says so.
        case refuse(String)
        /// It leads nowhere.
        case broken(String)
        case tooMany
    }

    /// Of a Location (limit L245).
    static let mostLocationBytes = 64 << 10

    /// What a message is made of. One reference: it is handed to all who have to do with the message.
    final class RequestStep: Sendable, Equatable {
        let draft: RequestDraft

        init(_ draft: consuming RequestDraft) { self.draft = draft }

        var method: String { draft.method }
        var url: String { draft.url }
        var headers: Headers { draft.headers }
        var payload: RequestPayload { draft.payload }

        static func == (one: RequestStep, other: RequestStep) -> Bool { one.draft == other.draft }
    }

    /// What must be true of a target before something is done with it (RFC 9110 13.1).
    private static let conditions: Set<String> = ["if-match", "if-none-match", "if-unmodified-since"]

    /// Whether a header may go to another origin; all others could carry a secret. Without its conditions a
    /// write would do what its sender has ruled out.
    private static func isShared(_ name: String, of method: String, _ policy: RedirectPolicy) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("accept") || name.hasPrefix("content-") || name == "user-agent"
            || method != "GET" && method != "HEAD" && conditions.contains(name)
            || policy.keepHeaders.contains { $0.rawValue.lowercased() == name }
    }

    /// - Parameter location: The Location; looked for only when the status calls for it.
    static func decide(
        step: RequestStep, status: Int, location: @autoclosure () -> String?, policy: RedirectPolicy,
        followed: Int
    ) -> Decision {
        guard policy.follow, status >= 300, [301, 302, 303, 307, 308].contains(status),
            let source = URLText(step.url)
        else { return .none }
        guard let location = location(), !location.isEmpty else {
            return .broken("the server redirects and doesn't say where: there is no Location")
        }
        guard location.utf8.count <= mostLocationBytes else {
            return .broken(
                "the server redirects to a URL of \(location.utf8.count) bytes, which may have 64 KiB at most"
            )
        }
        guard let target = source.relative(location), target.isHTTP else {
            let shown = SecretMask.standard.url(location)
            let why = RequestError.Cause.detail(ofURL: source.relative(location)?.string ?? location)
            return .broken("the server redirects to '\(shown)', which can't be followed: \(why)")
        }
        if followed >= policy.max { return .tooMany }
        if source.scheme == "https", target.scheme == "http" {
            return .refuse("refused to follow a redirect from https to http")
        }
        var next = step.draft
        next.url = target.string
        // A target without a fragment inherits that of what redirects (RFC 9110 10.2.2).
        if target.fragment == nil, let fragment = source.fragment { next.url += "#" + fragment }
        // 303 asks for the result with GET; 301 and 302 do so after a POST by long-standing practice. Any
        // other method keeps itself and its body.
        let becomesGet =
            (status == 303 && step.method != "HEAD")
            || (status != 307 && status != 308 && step.method == "POST")
        if becomesGet {
            next.method = "GET"
            next.payload = .none
            // What was said of the body, and of what the first target had to be like (RFC 9110 15.4).
            for field in next.headers.fields {
                let name = field.name.lowercased()
                if name.hasPrefix("content-") || step.method != "GET" && conditions.contains(name) {
                    next.headers.remove(name)
                }
            }
        }
        if target.origin != source.origin {
            for field in next.headers.fields where !isShared(field.name, of: next.method, policy) {
                next.headers.remove(field.name)
            }
        }
        return .follow(RequestStep(next))
    }
}

extension RedirectPolicy {
    /// What ``on`` says of a redirect that is to be followed.
    @EngineActor
    func allows(
        _ next: Redirect.RequestStep, after step: Redirect.RequestStep, status: Int
    ) throws -> Bool {
        try on?.function(step.url, next.url, status) ?? true
    }
}
