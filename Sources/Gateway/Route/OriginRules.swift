import Platform
import RestEngine

/// The pages of other origins that may use the gateway from a browser
/// (https://fetch.spec.whatwg.org/#http-cors-protocol).
public struct GatewayCORS: Sendable, Equatable {
    /// `https://app.example`, without a path; `*` for all.
    public var origins: [String]
    /// The methods that a page may use besides GET, HEAD and POST; empty: all exposed methods.
    public var methods: [String] = []
    /// Names of headers that a page may send.
    public var headers: [String] = []
    /// Pages may send cookies and other credentials. Not possible with `*`.
    public var allowsCredentials = false
    /// Seconds for which a browser remembers the answer to a preflight request.
    public var maxAge = 600

    public init(origins: [String]) { self.origins = origins }

    /// The error in the rules; nil if there is none.
    var validationError: String? {
        if origins.isEmpty { return "'cors' lists no origin" }
        for origin in origins where origin != "*" {
            guard let url = URLText(origin), url.isHTTP, url.origin == origin.lowercased() else {
                return "'\(origin)' is no origin: one looks like https://app.example, without a path"
            }
        }
        if allowsCredentials, origins.contains("*") {
            return "credentials are for origins that are named, not for '*'"
        }
        for method in methods where !Method.isToken(method) { return "'\(method)' is no method" }
        for name in headers where !Method.isToken(name) { return "'\(name)' is no valid name of a header" }
        return nil
    }
}

/// The rules for requests of pages. Without rules a page of another origin may only do what it could do with
/// a link. Requests that change something are refused, because the gateway would add credentials that the
/// page doesn't have.
struct OriginRules: Sendable {
    private let cors: GatewayCORS?
    private let exposed: String

    init(_ cors: GatewayCORS?, keeping kept: [String]) {
        self.cors = cors
        exposed =
            ([
                "Accept-Ranges", "Age", "Allow", "Cache-Status", "Content-Disposition", "Content-Range",
                "Deprecation", "ETag", "Link", "Location", "Preference-Applied", "Retry-After", "Sunset",
                "WWW-Authenticate", "X-Request-Id",
            ] + kept)
            .joined(separator: ", ")
    }

    private func isListed(_ origin: String) -> Bool {
        guard let cors else { return false }
        return cors.origins.contains("*") || cors.origins.contains { $0.lowercased() == origin }
    }

    /// - Parameter host: The value of Host. The gateway's own pages are allowed.
    func allowsChanges(from origin: String, host: String?) -> Bool {
        let origin = origin.lowercased()
        if isListed(origin) { return true }
        guard let host = host?.lowercased() else { return false }
        return origin == "http://" + host || origin == "https://" + host
    }

    /// The fields of an answer's head for a page of this origin.
    func fields(for origin: String?) -> [(String, String)] {
        guard let cors else { return [] }
        var fields = [("Vary", "Origin")]
        guard let origin, isListed(origin.lowercased()), origin.utf8.allSatisfy(HTTPByte.isFieldValue) else {
            return fields
        }
        let isAnyone = cors.origins.contains("*") && !cors.allowsCredentials
        fields.append(("Access-Control-Allow-Origin", isAnyone ? "*" : origin))
        if cors.allowsCredentials { fields.append(("Access-Control-Allow-Credentials", "true")) }
        fields.append(("Access-Control-Expose-Headers", exposed))
        return fields
    }

    /// The answer to a browser's preflight request; nil if the request isn't one.
    ///
    /// - Parameter exposed: The methods of the target.
    func preflight(_ fields: RequestFields, _ exposed: @autoclosure () -> [String]) -> Reply? {
        guard let cors, fields.single("access-control-request-method") != nil else { return nil }
        guard let origin = fields.single("origin"), isListed(origin.lowercased()) else {
            return Problem(403, "cross_origin", "pages of this origin may not use the gateway").reply
        }
        let listed = Set(["GET", "HEAD", "POST"] + cors.methods.map { Method($0).rawValue })
        let methods = exposed().filter { cors.methods.isEmpty || listed.contains($0) }
        var reply = Reply(allowing: [])
        reply.fields = [("Access-Control-Max-Age", "\(cors.maxAge)")]
        if !methods.isEmpty {
            reply.fields.append(("Access-Control-Allow-Methods", methods.joined(separator: ", ")))
        }
        if !cors.headers.isEmpty {
            reply.fields.append(("Access-Control-Allow-Headers", cors.headers.joined(separator: ", ")))
        }
        return reply
    }
}
