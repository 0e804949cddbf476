/// User and password on each request (RFC 7617), for the origin of the resource and no other. A request that has an
/// Authorization field already keeps it.
@EngineActor
public final class BasicAuthentication: RequestAuthentication {
    private let header: String

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
