/// Adds credentials to requests when they are sent, separately for each hop of a redirect, and answers
/// challenges. The credentials are in no configuration and no draft, so output that shows those does not
/// contain them.
@EngineActor
protocol RequestAuthentication: AnyObject {
    /// The credentials for a command line, as far as they are known before an answer.
    var known: KnownCredentials { get }

    /// The Authorization field for a request, and its nonce; nil: the request has no credentials.
    func proof(for target: AuthenticationTarget) throws(DigestChallenge.Fault) -> AuthenticationProof?

    /// Learns from an answer. Returns whether to send the request again.
    ///
    /// - Parameter answers: how many times it was sent again already.
    func renew(
        _ proof: AuthenticationProof?, by status: Int, _ headers: Headers, for target: AuthenticationTarget,
        answers: Int
    ) throws(DigestChallenge.Fault) -> Bool
}

/// Credentials for a command line.
enum KnownCredentials {
    /// The Authorization field.
    case field(String)
    /// User and password with a colon between them, for challenges of the scheme Digest.
    case digest(String)
}

/// The facts about a request that its credentials depend on.
struct AuthenticationTarget {
    let origin: String
    let method: String
    /// Path and query, as they are sent.
    let target: String
    /// Nil for a body that is read while it is sent.
    let body: [UInt8]?

    /// Nil for a hop that gets no credentials: it has an Authorization field already, or goes to another
    /// origin than the resource's.
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
    /// The nonce in the header, if it has one.
    var nonce: String?
}

extension Request {
    /// Makes the underlying network request, of this request or of its chain, send credentials. The last call
    /// counts; a request without network work ignores it.
    func authenticate(by authentication: any RequestAuthentication) { work.authenticate(by: authentication) }
}

/// Sends user and password with each request (RFC 7617), only to the origin of the resource. A request that
/// already has an Authorization field keeps it.
@EngineActor
public final class BasicAuthentication: RequestAuthentication {
    package let header: String

    /// Both are sent as UTF-8. Throws for a name with a colon, and for control characters (RFC 7617 2).
    public init(user: String, password: String) throws(CredentialFault) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw CredentialFault.colon }
        try CredentialFault.check(user, password)
        header = "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// A decorator that adds the credentials to the requests of a configuration.
    public var decorator: RequestDecorator {
        { _, request in
            request.authenticate(by: self)
            return request
        }
    }

    var known: KnownCredentials { .field(header) }

    func proof(for target: AuthenticationTarget) -> AuthenticationProof? {
        AuthenticationProof(header: header)
    }

    func renew(
        _ proof: AuthenticationProof?, by status: Int, _ headers: Headers, for target: AuthenticationTarget,
        answers: Int
    ) -> Bool { false }
}

/// The reason why a text can't be a user name or a password.
public enum CredentialFault: Error {
    /// A user name has a colon.
    case colon
    /// The text has a control character.
    case controlCharacter

    /// A sentence about the fault.
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
