import RestEngine

/// The clients that the rules know, and how each is recognised. Each has a number, by which its access policy
/// is found.
struct ClientIdentities: Sendable {
    /// The access of one client within its listener's rules.
    struct Access: Sendable {
        /// Nil: all that the listener shows.
        let expose: [String: ExposeRule]?
        let isOperator: Bool

        init(_ expose: [String: ExposeRule]?, _ isOperator: Bool) {
            (self.expose, self.isOperator) = (expose, isOperator)
        }
    }

    /// A client that was recognised.
    struct Identity: Sendable {
        /// Nil for a client that has the access of its listener.
        let number: Int?
        let name: String?
        /// See ``CheckedClient``.
        var claims: Tree?
        /// See ``CheckedClient``.
        var until = Double.infinity

        init(number: Int?, name: String?) { (self.number, self.name) = (number, name) }

        init(_ checked: CheckedClient) {
            (number, name, claims, until) = (checked.number, checked.name, checked.claims, checked.until)
        }
    }

    /// The result of a look at credentials.
    enum Finding: Sendable {
        case client(Identity)
        case refused(Problem)
        /// They are checked on another thread.
        case pending(CredentialCheck)
    }

    /// By the clients' numbers.
    let access: [Access]
    /// Clients need no credentials.
    let isOpen: Bool
    /// The header that carries API keys; nil if there are none.
    let keyHeader: FieldName?
    /// Names of request headers that hold credentials for this gateway, in lower case. Routes don't get them.
    let headers: Set<String>
    /// The authority of clients' certificates; see ``ListenerSecrets/authority``.
    var authority: [UInt8]?
    private let tokens: [SecretText]
    /// The number of the first API key.
    private let firstKey: Int
    private let keys: [SecretText]
    /// The number of the first client that is known by its certificate.
    private let firstClient: Int
    /// The names that certificates may have; nil: any.
    private let clients: [String]?
    /// Nil without an issuer of tokens.
    let verifier: TokenVerifier?
    /// Nil without users.
    let passwords: PasswordVerifier?
    private let challenges: [Challenge]

    /// A way in, for the answer to a client that showed nothing.
    private struct Challenge {
        /// An item of `WWW-Authenticate`.
        let field: String
        let sentence: String
        /// The name and the value of its security scheme in OpenAPI (3.1, 4.8.27).
        let scheme: (String, Tree)
    }

    /// See ``OpenAPIDocument``.
    var schemes: [(String, Tree)] { challenges.map(\.scheme) }

    /// - Parameter previous: The rules so far, whose loaded keys of an issuer stay in use.
    init(_ configuration: GatewayConfiguration, authority: [UInt8]?, after previous: ClientIdentities? = nil)
    {
        var all = configuration.tokens
        if let token = configuration.bearerToken {
            all.append(GatewayToken(name: "bearer", secret: .text(token)))
        }
        let allKeys = configuration.apiKeys?.keys ?? []
        let certificates = configuration.clientCertificates
        let known = certificates?.clients ?? []
        tokens = all.map(SecretText.init)
        keys = allKeys.map(SecretText.init)
        keyHeader = configuration.apiKeys.map { FieldName($0.header) }
        headers = Set(["authorization"] + (keyHeader.map { [$0.text.lowercased()] } ?? []))
        firstKey = all.count
        firstClient = firstKey + allKeys.count
        clients = certificates?.clients?.map(\.name)
        var access = (all + allKeys).map { Access($0.expose, $0.isOperator) }
        access += known.map { Access($0.expose, $0.isOperator) }
        verifier = configuration.jwt.map { jwt in
            let keys = previous?.verifier.map(\.keys).flatMap { $0.source == jwt.keys ? $0 : nil }
            return TokenVerifier(
                jwt, number: access.count, keys: keys ?? IssuerKeys(jwt.keys, configuration), configuration)
        }
        if let jwt = configuration.jwt { access.append(Access(jwt.expose, jwt.isOperator)) }
        let users = configuration.users
        passwords =
            users.isEmpty
            ? nil
            : PasswordVerifier(
                users, first: access.count,
                checks: previous?.passwords?.checks ?? PasswordChecks(uptime: configuration.uptime))
        access += users.map { Access($0.expose, $0.isOperator) }
        self.access = access
        self.authority = authority
        var challenges: [Challenge] = []
        if !all.isEmpty || verifier != nil {
            challenges.append(
                Challenge(
                    field: "Bearer", sentence: "a bearer token",
                    scheme: ("bearer", ["type": "http", "scheme": "bearer"])))
        }
        if let keyHeader {
            // No registered scheme names such a header, and a 401 needs a challenge (RFC 9110 15.5.2).
            challenges.append(
                Challenge(
                    field: "ApiKey header=\"\(keyHeader.text)\"", sentence: "an API key in \(keyHeader.text)",
                    scheme: ("key", ["type": "apiKey", "in": "header", "name": Tree(keyHeader.text)])))
        }
        if passwords != nil {
            challenges.append(
                Challenge(
                    field: Problem.basicChallenge, sentence: "a name with a password",
                    scheme: ("basic", ["type": "http", "scheme": "basic"])))
        }
        self.challenges = challenges
        isOpen = challenges.isEmpty && certificates == nil
    }

    /// The client with these credentials. A known token takes precedence over a key, and a key over a
    /// certificate.
    ///
    /// - Parameter checked: The result of the check for which an earlier look at them was pending.
    func find(
        _ shown: ShownCredentials, _ certificate: ClientCertificate?,
        checked: Result<CheckedClient, Problem>? = nil
    ) -> Finding {
        if isOpen { return .client(Identity(number: nil, name: nil)) }
        var refusal: Problem?
        if let token = shown.authorization("bearer") {
            if let index = Self.index(of: token, in: tokens) {
                return .client(Identity(number: index, name: tokens[index].name))
            }
            if let verifier {
                switch checked ?? verifier.known(token).map(Result.success) {
                case nil: return .pending { _, done in verifier.check(token, done) }
                case .success(let client): return .client(Identity(client))
                case .failure(let problem): refusal = problem
                }
            }
        }
        if let passwords, let pair = shown.authorization("basic") {
            switch checked ?? passwords.known(pair).map(Result.success) {
            case nil: return .pending { passwords.check(pair, from: $0, $1) }
            case .success(let client): return .client(Identity(client))
            case .failure(let problem): refusal = problem
            }
        }
        if let key = shown.key, let index = Self.index(of: key, in: keys) {
            return .client(Identity(number: firstKey + index, name: keys[index].name))
        }
        return find(certificate).map { .client($0) }
            ?? .refused(refusal ?? self.refusal(of: certificate))
    }

    private func find(_ certificate: ClientCertificate?) -> Identity? {
        guard let certificate, certificate.authority == authority else { return nil }
        guard let clients else {
            return Identity(number: nil, name: certificate.names.first ?? "certificate")
        }
        return clients.firstIndex(where: certificate.names.contains).map {
            Identity(number: firstClient + $0, name: clients[$0])
        }
    }

    private static func index(of secret: [UInt8], in all: [SecretText]) -> Int? {
        secret.withUnsafeBytes { given in all.firstIndex { $0.isEqual(given) } }
    }

    /// The problem for a client that isn't known and showed no token of an issuer.
    private func refusal(of certificate: ClientCertificate?) -> Problem {
        guard challenges.isEmpty else {
            let sentences = challenges.map(\.sentence).joined(separator: " or ")
            return Problem(
                401, "unauthorized", "\(sentences) is needed",
                challenges.map { ("WWW-Authenticate", $0.field) })
        }
        return Problem(
            403, "certificate_needed",
            certificate == nil
                ? "a client certificate is needed, signed by this gateway's authority for clients"
                : "the client's certificate has none of the accepted names, or another authority signed it"
        )
    }
}
