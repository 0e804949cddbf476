/// With which certificate a listener speaks TLS (rules 61).
public struct GatewayTLS: Sendable, Hashable {
    /// File in PEM: the listener's own certificate, then those between it and its authority.
    public var certificate: String
    /// File in PEM, without a passphrase.
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Which clients are known by their certificate (rules 62).
public struct GatewayClientCertificates: Sendable, Equatable {
    /// File in PEM: whoever signed theirs.
    public var authority: String
    /// Nil: all that the authority signed, each with all that its listener shows.
    public var clients: [Client]?

    public struct Client: Sendable, Equatable {
        /// Any of its certificate's names; for limits as well.
        public var name: String
        /// Of what the listener shows; nil: all of it.
        public var expose: [String: ExposeRule]?
        /// See ``GatewayToken/isOperator``.
        public var isOperator: Bool

        public init(name: String, expose: [String: ExposeRule]? = nil, isOperator: Bool = false) {
            self.name = name
            self.expose = expose
            self.isOperator = isOperator
        }
    }

    public init(authority: String, clients: [Client]? = nil) {
        self.authority = authority
        self.clients = clients
    }
}

extension GatewayConfiguration {
    /// How a listener speaks TLS; nil: it doesn't.
    func tls(of text: String) -> GatewayTLS? {
        if let own = listenerTLS[text] { return own }
        return text.hasPrefix("unix:") ? nil : tls
    }

    /// Files whose change is taken over by ``Gateway/renewCertificates()``.
    public var certificateFiles: Set<String> {
        var files: Set<String> = []
        for text in listen {
            if let tls = tls(of: text) { files.formUnion([tls.certificate, tls.key]) }
        }
        if let clientCertificates { files.insert(clientCertificates.authority) }
        return files
    }
}
