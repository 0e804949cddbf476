/// The servers of one client: one of them, or one that a sentinel among them names, is the primary.
package struct RedisServers: Sendable, Equatable, CustomStringConvertible {
    /// Not empty. The client tries them in this order.
    package let addresses: [RedisAddress]
    /// A PEM file of certificates to trust in place of the machine's; nil for those.
    package var authorityFile: String?
    /// Whether a sentinel may lead to servers that are not among the addresses.
    package var followsSentinels = true

    package init(_ address: RedisAddress) { addresses = [address] }

    /// - Parameter addresses: At least one.
    package init(_ addresses: [RedisAddress]) {
        precondition(!addresses.isEmpty, "a client needs an address")
        self.addresses = addresses
    }

    /// Whether the primary may be another server from time to time. With one server the client takes that one
    /// as it is.
    package var mayMove: Bool { addresses.count > 1 || addresses[0].primaryName != nil }

    /// The addresses without users and passwords.
    package var description: String { addresses.map(\.description).joined(separator: ", ") }

    /// Whether the client may connect to a server that a sentinel has named.
    func allow(_ named: RedisAddress) -> Bool {
        followsSentinels || addresses.contains { $0.primaryName == nil && $0.place == named.place }
    }
}
