import RestEngine

/// The client that was last accepted on a connection, with the fields that it sent. A repeated request needs
/// no lookup.
final class KnownClient {
    let client: GatewayLoop.Client
    let credentials: ShownCredentials
    /// The uptime at which its credentials are checked again.
    let until: Double
    private let rules: GatewayRules.Snapshot
    /// Nil if the head had none.
    private let host: [UInt8]?

    init(
        _ client: GatewayLoop.Client, until: Double, _ credentials: ShownCredentials, host: [UInt8]?,
        under rules: GatewayRules.Snapshot
    ) {
        self.client = client
        self.until = until
        self.credentials = credentials
        self.rules = rules
        self.host = host
    }

    /// The same client after its credentials were checked again.
    func renewed(_ client: GatewayLoop.Client, until: Double, under rules: GatewayRules.Snapshot)
        -> KnownClient
    {
        KnownClient(client, until: until, credentials, host: host, under: rules)
    }

    /// The head has the same fields, the rules are the same, and the client needs no check.
    @inline(__always)
    func says(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, under rules: GatewayRules.Snapshot, now: Double
    ) -> Bool {
        self.rules === rules && now < until && hasHost(of: head, bytes)
            && credentials.areShown(by: head, bytes, keysIn: rules.access.identities.keyHeader)
    }

    /// The same for credentials that are elsewhere than in the fields that ``says(_:_:under:now:)`` looks at.
    func hasShown(
        _ shown: ShownCredentials, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer,
        under rules: GatewayRules.Snapshot, now: Double
    ) -> Bool {
        self.rules === rules && now < until && hasHost(of: head, bytes) && credentials == shown
    }

    @inline(__always)
    private func hasHost(of head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let host, let shown = head.host else { return self.host == nil && head.host == nil }
        return host.withUnsafeBytes { $0.elementsEqual(shown.bytes(in: bytes)) }
    }
}
