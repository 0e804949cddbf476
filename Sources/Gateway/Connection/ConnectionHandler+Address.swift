import NIOCore
import RestEngine

/// The address of the client, which trusted proxies may state.
extension ConnectionHandler {
    /// The address of the other end, or the one that a header of the PROXY protocol states; nil on a Unix
    /// socket.
    private var peerAddress: String? {
        if case .address(let address) = source { return address.text }
        return context?.channel.remoteAddress?.ipAddress
    }

    /// The other end is a trusted proxy. It is found out once for the rules.
    var trustsPeer: Bool {
        let rules = loop.rules
        guard !rules.access.proxies.isEmpty else { return false }
        if let trust, trust.rules === rules { return trust.isTrusted }
        let isTrusted = rules.access.proxies.contains(peerAddress.flatMap(NetworkAddress.init(peer:)))
        trust = PeerTrust(rules: rules, isTrusted: isTrusted)
        return isTrusted
    }

    struct PeerTrust {
        let rules: GatewayRules.Snapshot
        let isTrusted: Bool
    }

    /// The address of the client that sent these fields; nil on a Unix socket.
    func address(of fields: RequestFields) -> String? {
        guard trustsPeer, let address = ForwardedAddress.client(fields, loop.rules.access.proxies) else {
            return peerAddress
        }
        return address.text
    }

    /// The name by which limits know the client of a request.
    func clientName(_ request: ClientRequest) -> String {
        known?.client.name ?? addressName(request.fields)
    }

    /// The same for a request that isn't taken yet.
    func clientName(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> String {
        known?.client.name ?? addressName(head, bytes)
    }

    func addressName(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> String {
        addressName(trustsPeer ? RequestFields(Array(bytes[..<head.length])) : .none)
    }

    func addressName(_ fields: RequestFields) -> String {
        address(of: fields).map(ClientNetwork.name(ofAddress:)) ?? "unix"
    }

    /// The client is on this machine, and not behind a proxy that says so.
    var isOfThisMachine: Bool {
        source == nil && context?.channel.remoteAddress?.isOfThisMachine ?? true
    }
}

extension NetworkAddress {
    /// The address of a connection's other end, whose zone is left out.
    init?(peer text: String) { self.init(text.prefix { $0 != "%" }) }
}
