/// The certificate with which a listener speaks TLS (rules 61).
public struct GatewayTLS: Sendable, Hashable {
    /// A file in PEM: the listener's own certificate, then those between it and its authority.
    public var certificate: String
    /// A file in PEM without a passphrase.
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The clients that are identified by their certificate (rules 62).
public struct GatewayClientCertificates: Sendable, Equatable {
    /// A file in PEM with the authority that signed the clients' certificates.
    public var authority: String
    /// Nil: all clients with a certificate of the authority, each with all that its listener shows.
    public var clients: [Client]?

    public struct Client: Sendable, Equatable {
        /// Any of the names in the certificate. Limits use it too.
        public var name: String
        /// Access within the listener's rules; nil: all that the listener shows.
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
    /// The TLS of a listener; nil if it has none.
    func tls(of text: String) -> GatewayTLS? {
        if let own = listenerTLS[text] { return own }
        return text.hasPrefix("unix:") ? nil : tls
    }

    /// The files that ``Gateway/renewCertificates()`` reads again.
    public var certificateFiles: Set<String> {
        var files: Set<String> = []
        for text in listen {
            if let tls = tls(of: text) { files.formUnion([tls.certificate, tls.key]) }
        }
        if let clientCertificates { files.insert(clientCertificates.authority) }
        return files
    }
}
