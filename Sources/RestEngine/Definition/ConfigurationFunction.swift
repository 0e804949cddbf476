/// A function that edits the configuration of one definition's requests, behind all blocks that match
/// (rule 39.1). Functions can't be compared; this one has an identity.
public struct ConfigurationFunction: Sendable, Hashable {
    /// What says that two functions are the same. It outlives the function, in what a service remembers, and
    /// so holds nothing of it.
    public struct Identity: Sendable, Hashable {
        /// What identities are known by; of each owner the numbers are its own.
        public final class Owner: Sendable {
            public init() {}
        }

        private let owner: Owner
        private let number: UInt
        private let kept: (@EngineActor () -> Void)?

        /// - Parameters:
        ///   - owner: Of the function, or of all that the number tells apart; a new one is like no other.
        ///   - kept: Lives as long as the identity, and is never called: what the owner stands for.
        public init(
            _ owner: Owner = Owner(), _ number: UInt = 0, keeping kept: (@EngineActor () -> Void)? = nil
        ) {
            self.owner = owner
            self.number = number
            self.kept = kept
        }

        public static func == (a: Identity, b: Identity) -> Bool {
            a.owner === b.owner && a.number == b.number
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(owner))
            hasher.combine(number)
        }
    }

    /// What equality of definitions goes by.
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

extension ConfigurationFunction {
    /// Runs it by itself, for a check of scripts; the error that it raised.
    @EngineActor
    public func tried(for url: URLText, method: String) -> RequestError? {
        let draft = ConfigurationDraft(method: method, url: url)
        defer { draft.isFrozen = true }
        do { try apply(draft) } catch {
            return RequestError(thrown: error, timestamp: 0, url: url.string, method: method)
        }
        return nil
    }
}
