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

    struct RequestStep: Equatable {
        var method: String
        var url: String
        var headers: Headers
        var payload = RequestPayload.none
    }

    /// Headers that may go to another origin; all others could carry a secret.
    private static let shared: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-language",
        "content-type", "pragma", "range", "traceparent", "tracestate", "user-agent",
    ]

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
        guard let target = source.relative(location), target.isHTTP else {
            let shown = SecretMask.standard.url(location)
            let why = RequestError.Cause.detail(ofURL: source.relative(location)?.string ?? location)
            return .broken("the server redirects to '\(shown)', which can't be followed: \(why)")
        }
        if followed >= policy.max { return .tooMany }
        if source.scheme == "https", target.scheme == "http" {
            return .refuse("refused to follow a redirect from https to http")
        }
        var next = step
        next.url = target.string
        // 303 asks for the result with GET; 301 and 302 do so after a POST by long-standing practice. Any
        // other method keeps itself and its body.
        let becomesGet =
            (status == 303 && step.method != "HEAD")
            || (status != 307 && status != 308 && step.method == "POST")
        if becomesGet {
            next.method = "GET"
            next.payload = .none
            for name in ["Content-Type", "Content-Encoding", "Content-Language"] { next.headers.remove(name) }
        }
        if target.origin != source.origin {
            for field in next.headers.fields where !shared.contains(field.name.lowercased()) {
                next.headers.remove(field.name)
            }
        }
        return .follow(next)
    }
}
