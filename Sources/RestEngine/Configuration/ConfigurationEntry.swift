/// A configuration block: which URLs and methods it is for, and what it does.
public struct ConfigurationEntry: Sendable {
    /// The URLs that it is for.
    public let pattern: URLPattern
    /// Nil: every method.
    public let methods: Set<String>?
    /// What it is, for `explain` and logs.
    public let description: String
    /// Where it was written, `file:line`; nil for the engine's own.
    public let origin: String?
    /// It does the same to every URL and method that it is for, so its result may be shared.
    public let isUniform: Bool
    let apply: @EngineActor (ConfigurationDraft) throws -> Void

    public init(
        pattern: URLPattern, methods: Set<String>? = nil, description: String, origin: String? = nil,
        isUniform: Bool = false,
        apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) {
        self.pattern = pattern
        self.methods = methods
        self.description = description
        self.origin = origin
        self.isUniform = isUniform
        self.apply = apply
    }
}

/// A configuration while blocks edit it. A script may keep the object; once `isFrozen` it must refuse to write.
@EngineActor
public final class ConfigurationDraft {
    /// What the blocks before made, to be edited.
    public var configuration = Configuration()
    /// The method that the configuration is for.
    public let method: String
    /// Nil for an invalid resource, for which no block runs.
    public let url: URLText?
    /// All blocks have run.
    public internal(set) var isFrozen = false

    init(method: String, url: URLText?) {
        self.method = method
        self.url = url
    }
}
