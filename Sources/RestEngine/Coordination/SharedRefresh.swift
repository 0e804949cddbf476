/// Credentials that one host has got for all, such as a token.
package struct SharedCredentials: Sendable, Equatable {
    /// Grows with each renewal.
    package var number: Int64
    package var value: Tree
    /// Unix seconds.
    package var expiresAt: Double?

    package init(number: Int64, _ value: Tree, expiresAt: Double?) {
        (self.number, self.value, self.expiresAt) = (number, value, expiresAt)
    }
}

/// One renewal of credentials that another host may make in place of this one: the engine's side of a lease.
@EngineActor
package final class SharedRefresh {
    package enum Outcome {
        /// This host has new credentials; nil if it has some that it can't hand over.
        case renewed(Tree?, lifetime: Double?)
        case failed
    }

    /// The same in all hosts.
    package let name: String
    /// The number of the credentials that were refused; nil if it had none of the shared memory.
    package let refused: Int64?
    private var decided: (@EngineActor (Decision) -> Void)?

    package enum Decision {
        /// This host renews them, and passes the outcome on. Then it gets their number, or nil if the shared
        /// memory doesn't have them.
        case renew(@EngineActor (Outcome) -> Int64?)
        /// Another host has renewed them.
        case use(SharedCredentials)
    }

    /// - Parameter decided: Called once.
    package init(
        _ name: String, refused: Int64?, decided: @escaping @EngineActor (Decision) -> Void
    ) {
        (self.name, self.refused, self.decided) = (name, refused, decided)
    }

    package func decide(_ decision: Decision) {
        let decided = decided
        self.decided = nil
        decided?(decision)
    }
}
