/// A function that edits the configuration of one definition's requests, behind all blocks that match
/// (rule 39.1). Functions can't be compared; this one has an identity.
public struct ConfigurationFunction: Sendable, Hashable {
    /// What says that two functions are the same.
    public struct Identity: Sendable, Hashable {
        private let owner: Owner
        private let number: UInt

        /// An owner of identities; of each owner the numbers are its own.
        public final class Owner: Sendable, Hashable {
            public init() {}

            public static func == (a: Owner, b: Owner) -> Bool { a === b }

            public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        /// One that is like no other.
        public init() { self.init(Owner(), 0) }

        /// - Parameter number: Of a function that lives as long as whoever holds the identity.
        public init(_ owner: Owner, _ number: UInt) {
            self.owner = owner
            self.number = number
        }
    }

    public let identity: Identity
    /// `file:line`, for `explain`.
    public let origin: String
    let apply: @EngineActor (ConfigurationDraft) throws -> Void

    /// - Parameters:
    ///   - identity: Functions of the same identity shall do the same.
    ///   - apply: When it throws, every request of the definition fails with that error.
    package init(
        identity: Identity = Identity(), origin: String,
        apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) {
        self.identity = identity
        self.origin = origin
        self.apply = apply
    }

    public static func == (a: ConfigurationFunction, b: ConfigurationFunction) -> Bool {
        a.identity == b.identity
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
