/// Authenticates with user and password without sending the password (RFC 7616), only at the origin of the
/// resource. A request that already has an Authorization field keeps it.
///
/// The first request to an origin is refused, and sent again with the answer to its challenge. Later requests
/// go on counting with the known nonce (3.4.5), until the server names the next nonce or calls this one
/// stale. A further refusal is the failure of the request. The algorithms are MD5, SHA-256 and SHA-512-256,
/// each also for sessions, with `auth`, or with `auth-int` if the server offers only that and the body is in
/// memory.
@EngineActor
public final class DigestAuthentication: RequestAuthentication {
    private let user: String
    private let password: String
    private let makeNonce: () -> String?
    private var sessions: [String: Session] = [:]

    /// A nonce in use.
    private struct Session {
        var challenge: DigestChallenge
        var clientNonce: String
        var count: UInt32 = 0
    }

    /// The number of origins to remember. Beyond it all are forgotten, and get a new challenge.
    private static let maxSessions = 256

    /// Both are sent as UTF-8. Throws for control characters.
    public convenience init(user: String, password: String) throws(CredentialFault) {
        try self.init(user: user, password: password) { Crypto.randomBytes(16).map(Hex.encode) }
    }

    /// - Parameter makeNonce: Makes a nonce of the client; nil when the system has no random bytes.
    init(user: String, password: String, makeNonce: @escaping () -> String?) throws(CredentialFault) {
        try CredentialFault.check(user, password)
        self.user = user
        self.password = password
        self.makeNonce = makeNonce
    }

    /// A decorator that makes the requests of a configuration answer challenges.
    public var decorator: RequestDecorator {
        { _, request in
            request.authenticate(by: self)
            return request
        }
    }

    var known: KnownCredentials { .digest("\(user):\(password)") }

    func proof(for target: AuthenticationTarget) throws(DigestChallenge.Fault) -> AuthenticationProof? {
        guard var session = sessions[target.origin] else { return nil }
        guard session.count < .max else {
            sessions[target.origin] = nil
            return nil
        }
        session.count += 1
        sessions[target.origin] = session
        let answer = DigestAnswer(
            user: user, password: password, challenge: session.challenge, method: target.method,
            target: target.target, body: target.body, count: session.count, clientNonce: session.clientNonce)
        return AuthenticationProof(header: try answer.header(), nonce: session.challenge.nonce)
    }

    func renew(
        _ proof: AuthenticationProof?, by status: Int, _ headers: Headers, for target: AuthenticationTarget,
        answers: Int
    ) throws(DigestChallenge.Fault) -> Bool {
        guard status == 401 else {
            try count(on: headers, after: proof, at: target.origin)
            return false
        }
        let challenge = try DigestChallenge.first(in: AuthenticationChallenge.list(in: headers))
        // The answer to this challenge was wrong, unless it only came too late.
        guard answers == 0 || answers == 1 && challenge.isStale else {
            sessions[target.origin] = nil
            return false
        }
        // Another request was refused before this one. Its nonce is newer than this request's, or is the same
        // as in this challenge.
        if let known = sessions[target.origin], !challenge.isStale {
            let isNewer = proof?.nonce != nil && known.challenge.nonce != proof?.nonce
            if isNewer || proof == nil && known.challenge.nonce == challenge.nonce { return true }
        }
        try begin(challenge, for: target.origin)
        return true
    }

    /// Uses the nonce for the next request, if the server names one (3.5).
    private func count(
        on headers: Headers, after proof: AuthenticationProof?, at origin: String
    ) throws(DigestChallenge.Fault) {
        guard let proof, let info = headers["Authentication-Info"], let known = sessions[origin],
            known.challenge.nonce == proof.nonce,
            let next = AuthenticationChallenge.parameters(in: info)["nextnonce"], next != proof.nonce
        else { return }
        var challenge = known.challenge
        challenge.nonce = next
        try begin(challenge, for: origin)
    }

    private func begin(_ challenge: DigestChallenge, for origin: String) throws(DigestChallenge.Fault) {
        guard let clientNonce = makeNonce() else {
            throw DigestChallenge.Fault(message: "the system has no random bytes for an answer")
        }
        if sessions.count >= Self.maxSessions { sessions = [:] }
        sessions[origin] = Session(challenge: challenge, clientNonce: clientNonce)
    }
}
