import Platform

/// The addresses that a gateway leaves in a reload. Another gateway may take them in the same reload: their
/// sockets go on listening, so both changes can be checked before one of them happens.
public struct LeftAddresses: Sendable {
    private let listeners: [Listener]

    public static let none = LeftAddresses(listeners: [])

    init(listeners: [Listener]) { self.listeners = listeners }

    /// Nil for a port that the system chooses. The file of a Unix socket has the mode of its first owner, so
    /// it isn't taken over, either.
    func listener(at address: ListenAddress) -> Listener? {
        guard case .ip(_, let port) = address, port != 0 else { return nil }
        return listeners.first { $0.address == address }
    }
}
