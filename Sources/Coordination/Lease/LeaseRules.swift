/// The times of leases. All are seconds.
package struct LeaseRules: Sendable, Equatable {
    /// How long a host has the lease, unless it renews it. A host that dies costs this time.
    package var seconds = LeaseRules.standardSeconds
    /// When a holder asks for the same time again. Two of these messages may be lost.
    package var renewalSeconds: Double { seconds / 3 }
    /// A load waits for so many holders, one after the other: for one that fails, and for its successor.
    package var mostHolders = 2

    package init(seconds: Double = LeaseRules.standardSeconds) { self.seconds = seconds }

    package static let standardSeconds = 2.0
}

/// The right to write one value. The server gives each number once.
package struct LeaseGrant: Sendable, Equatable {
    /// The sequence number of the key. The server drops a write whose number isn't the newest that it gave.
    package var number: Int64
    /// The generation of the service. The server drops a write of an earlier generation: an invalidation
    /// without a list of keys, such as a wipe by pattern, begins the next.
    package var generation: Int64

    package init(number: Int64, generation: Int64) { (self.number, self.generation) = (number, generation) }
}

/// The server's answer to a host that asks for a lease.
package enum LeaseAnswer: Sendable, Equatable {
    /// - Parameter sinceWrite: Seconds since a host has written the entry; nil if nobody has, as far as the
    ///   server knows.
    case granted(LeaseGrant, sinceWrite: Double?)
    /// Another host has it for this many seconds, or longer if it renews it. The server has noted who waits.
    ///
    /// - Parameter number: The newest number of the key, which is the holder's.
    case held(number: Int64, seconds: Double)
    /// There is no answer: the server can't be used, or it was too slow.
    case failed
}
