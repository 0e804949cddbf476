internal import Synchronization

/// A function that edits the configuration of one definition's requests, after all matching blocks (rule
/// 39.1). Functions can't be compared, so this one has an identity.
package struct ConfigurationFunction: Sendable, Hashable {
    /// Decides whether two functions are the same. A service keeps identities longer than the functions, so
    /// an identity holds no reference to its function.
    package struct Identity: Sendable, Hashable {
        /// Owners are compared by reference; each owner numbers its functions on its own.
        package final class Owner: Sendable {
            private static let count = Atomic(0)
            /// No other owner has it, unlike an address.
            fileprivate let serial = Owner.count.wrappingAdd(1, ordering: .relaxed).newValue

            package init() {}
        }

        private let owner: Owner
        private let number: UInt
        private let kept: (@EngineActor () -> Void)?

        /// - Parameters:
        ///   - owner: The owner of the function, or of all functions that the number distinguishes; a new
        ///     owner equals no other.
        ///   - kept: A closure that lives as long as the identity and is never called; it keeps alive what
        ///     the owner stands for.
        package init(
            _ owner: Owner = Owner(), _ number: UInt = 0, keeping kept: (@EngineActor () -> Void)? = nil
        ) {
            self.owner = owner
            self.number = number
            self.kept = kept
        }

        package static func == (a: Identity, b: Identity) -> Bool {
            a.owner === b.owner && a.number == b.number
        }

        /// The same for equal identities alone, in this process.
        var text: String { "\(owner.serial).\(number)" }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(owner))
            hasher.combine(number)
        }
    }

    /// Decides whether definitions are equal.
    package let identity: Identity
    /// `file:line`, for `explain`.
    package let origin: String
    let apply: @EngineActor (ConfigurationDraft) throws -> Void

    /// - Parameters:
    ///   - identity: Functions with the same identity must do the same.
    ///   - apply: If it throws, every request of the definition fails with that error.
    package init(
        identity: Identity = Identity(), origin: String,
        apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) {
        self.identity = identity
        self.origin = origin
        self.apply = apply
    }

    package static func == (a: ConfigurationFunction, b: ConfigurationFunction) -> Bool {
        a.identity == b.identity
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension ConfigurationFunction {
    /// Runs the function on its own, for a check of scripts. Returns the error that it threw.
    @EngineActor
    package func tried(for url: URLText, method: String) -> RequestError? {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        do { try apply(draft) } catch {
            return RequestError(thrown: error, timestamp: 0, url: url.string, method: method)
        }
        return nil
    }
}
