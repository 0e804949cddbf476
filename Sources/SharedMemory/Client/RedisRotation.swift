/// Chooses the server that a client connects to. Pure.
///
/// An attempt to connect is a round through the addresses. It begins with the address that was in use,
/// because a lost connection seldom means another primary. It ends at the first server that is a primary.
package struct RedisRotation: Sendable {
    private let servers: RedisServers
    private var index = 0
    /// The server that the sentinel at `index` has named.
    private var named: RedisAddress?
    private var failures: [String] = []
    private var kinds: Set<RedisFailure.Kind> = []

    package init(_ servers: RedisServers) { self.servers = servers }

    package var current: RedisAddress { named ?? servers.addresses[index] }
    /// Whether the server in use may stop being the primary.
    package var mayMove: Bool { servers.mayMove }

    // MARK: A round

    /// The first server of a round.
    package mutating func begin() -> RedisAddress {
        (named, failures, kinds) = (nil, [], [])
        return current
    }

    /// The sentinel in use has named a server. Nil if the client may not use it: ``current`` stays the
    /// sentinel then.
    package mutating func follow(host: String, port: Int) -> RedisAddress? {
        let address = RedisAddress(host: host, port: port, namedBy: current)
        guard servers.allow(address) else { return nil }
        named = address
        return address
    }

    /// The next server of the round; nil when all have failed, for the reasons in ``failure``.
    package mutating func failed(_ failure: RedisFailure) -> RedisAddress? {
        failures.append("\(current): \(failure.message)")
        kinds.insert(failure.kind)
        lastFailure = failure
        advance()
        return failures.count < servers.addresses.count ? current : nil
    }

    private var lastFailure = RedisFailure(.unreachable, "there is no server")

    /// The failure of the whole round.
    package var failure: RedisFailure {
        guard mayMove else { return lastFailure }
        let shown = failures.prefix(Self.mostShown)
        let rest = failures.count - shown.count
        return RedisFailure(
            kinds.count == 1 ? lastFailure.kind : .unreachable,
            "there is no primary: " + shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : ""))
    }

    /// A message has the failures of so many addresses at most.
    private static let mostShown = 4

    // MARK: Outside of a round

    /// The time for the round is over. The next one begins with the next server, so that one that never
    /// answers doesn't keep the others away.
    package mutating func gaveUp() { advance() }

    /// The server in use is a replica now. The next round asks the sentinel again, or begins with the next
    /// server.
    package mutating func demoted() {
        if named == nil { advance() }
    }

    private mutating func advance() {
        named = nil
        index = (index + 1) % servers.addresses.count
    }
}
