/// A configuration block: which URLs and methods it is for, and what it does.
public struct ConfigurationEntry: Sendable {
    public let pattern: URLPattern
    /// Nil: every method.
    public let methods: Set<String>?
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
    public var configuration = Configuration()
    public let method: String
    /// Nil for an invalid resource, for which no block runs.
    public let url: URLText?
    public internal(set) var isFrozen = false

    init(method: String, url: URLText?) {
        self.method = method
        self.url = url
    }
}
