/// Puts credentials on requests as they go out, each hop of a redirect for itself, and answers challenges.
/// What it adds stands in no configuration and no draft, so nothing that shows those shows it.
@EngineActor
protocol RequestAuthentication: AnyObject {
    /// The Authorization field for a request, and what it was made with; nil: it goes without.
    func proof(for target: AuthenticationTarget) throws(DigestChallenge.Fault) -> AuthenticationProof?

    /// Learns from an answer; whether the request is worth sending again.
    ///
    /// - Parameter answers: how many times it was sent again already.
    func renew(
        _ proof: AuthenticationProof?, by status: Int, _ headers: Headers, for target: AuthenticationTarget,
        answers: Int
    ) throws(DigestChallenge.Fault) -> Bool
}

/// What a request's credentials are about.
struct AuthenticationTarget {
    let origin: String
    let method: String
    /// Path and query, as they are sent.
    let target: String
    /// Nil for a body that is read while it is sent.
    let body: [UInt8]?

    /// Nil for a hop that gets no credentials: one that has some of its own, or that leads to another origin
    /// than the resource's.
    init?(_ step: Redirect.RequestStep, of resource: URLText?) {
        guard let url = URLText(step.url), let origin = url.origin, origin == resource?.origin,
            !step.headers.contains("Authorization")
        else { return nil }
        self.origin = origin
        method = step.method
        target = (url.path.isEmpty ? "/" : url.path) + (url.query.map { "?" + $0 } ?? "")
        switch step.payload {
        case .none: body = []
        case .bytes(let bytes): body = bytes
        case .upload: body = nil
        }
    }
}

/// Credentials on one request.
struct AuthenticationProof {
    /// The value of the Authorization field.
    let header: String
    /// What they were made with, where that is.
    var nonce: String?
}

extension Request {
    /// Has the network request that this one is, or is a chain of, send credentials. Those that are set last
    /// count; a request that uses no network goes without.
    func authenticate(by authentication: any RequestAuthentication) { work.authenticate(by: authentication) }
}

/// User and password on each request (RFC 7617), for the origin of the resource and no other. A request that
/// has an Authorization field already keeps it.
@EngineActor
public final class BasicAuthentication: RequestAuthentication {
    package let header: String

    /// Both are sent as UTF-8. Throws for a name with a colon, and for control characters (RFC 7617 2).
    public init(user: String, password: String) throws(CredentialFault) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw CredentialFault.colon }
        try CredentialFault.check(user, password)
        header = "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// Puts them on the requests of a configuration.
    public var decorator: RequestDecorator {
        { _, request in
            request.authenticate(by: self)
            return request
        }
    }

    func proof(for target: AuthenticationTarget) -> AuthenticationProof? {
        AuthenticationProof(header: header)
    }

    func renew(
        _ proof: AuthenticationProof?, by status: Int, _ headers: Headers, for target: AuthenticationTarget,
        answers: Int
    ) -> Bool { false }
}

/// What can't be a user's name or password.
public enum CredentialFault: Error {
    case colon
    case controlCharacter

    /// A sentence about it.
    public var message: String {
        switch self {
        case .colon: "a user's name has no colon, which would end it (RFC 7617)"
        case .controlCharacter: "user and password contain no control characters"
        }
    }

    static func check(_ texts: String...) throws(CredentialFault) {
        guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw .controlCharacter
        }
    }
}
