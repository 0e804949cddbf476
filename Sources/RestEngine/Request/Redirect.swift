/// The rules for following a redirect (RFC 9110 15.4), as a pure function.
enum Redirect {
    enum Decision: Equatable {
        /// The response is final.
        case none
        case follow(RequestStep)
        /// The redirect would lead from https to http; the text says so.
        case refuse(String)
        /// The redirect has no valid target.
        case broken(String)
        case tooMany
    }

    /// The limit for a Location (limit L245).
    static let mostLocationBytes = 64 << 10

    /// The parts of a message. A class, so that all code for the message shares one reference.
    final class RequestStep: Sendable, Equatable {
        let draft: RequestDraft

        init(_ draft: consuming RequestDraft) { self.draft = draft }

        var method: String { draft.method }
        var url: String { draft.url }
        var headers: Headers { draft.headers }
        var payload: RequestPayload { draft.payload }

        static func == (one: RequestStep, other: RequestStep) -> Bool { one.draft == other.draft }
    }

    /// The preconditions on the target of a request (RFC 9110 13.1).
    private static let conditions: Set<String> = ["if-match", "if-none-match", "if-unmodified-since"]

    /// Whether a header may be sent to another origin; all others could contain a secret. Preconditions are
    /// kept, because without them a write would do what its sender has excluded.
    private static func isShared(_ name: String, of method: String, _ policy: RedirectPolicy) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("accept") || name.hasPrefix("content-") || name == "user-agent"
            || method != "GET" && method != "HEAD" && conditions.contains(name)
            || policy.keepHeaders.contains { $0.rawValue.lowercased() == name }
    }

    /// - Parameter location: The Location header; evaluated only if the status is a redirect.
    static func decide(
        step: RequestStep, status: Int, location: @autoclosure () -> String?, policy: RedirectPolicy,
        followed: Int
    ) -> Decision {
        guard policy.follow, status >= 300, [301, 302, 303, 307, 308].contains(status),
            let source = URLText(step.url)
        else { return .none }
        guard let location = location(), !location.isEmpty else {
            return .broken("the server redirects without a Location header")
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
        // A target without a fragment inherits that of the redirecting URL (RFC 9110 10.2.2).
        if target.fragment == nil, let fragment = source.fragment { next.url += "#" + fragment }
        // 303 requests the result with GET; 301 and 302 change a POST to a GET by long-standing practice.
        // Other methods keep method and body.
        let becomesGet =
            (status == 303 && step.method != "HEAD")
            || (status != 307 && status != 308 && step.method == "POST")
        if becomesGet {
            next.method = "GET"
            next.payload = .none
            // Headers about the body, and preconditions on the first target, are removed (RFC 9110 15.4).
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
    /// Calls ``on`` with a redirect that is to be followed.
    @EngineActor
    func allows(
        _ next: Redirect.RequestStep, after step: Redirect.RequestStep, status: Int
    ) throws -> Bool {
        try on?.function(step.url, next.url, status) ?? true
    }
}
