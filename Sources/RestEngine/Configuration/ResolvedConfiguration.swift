/// The frozen configuration of one resource and method, and which blocks made it.
@EngineActor
package final class ResolvedConfiguration {
    /// What the blocks made.
    package let configuration: Configuration
    /// Indices of the blocks that applied, in order.
    package let entries: [Int]
    /// A block failed: every request with this configuration fails with this error.
    package let failure: RequestError?
    /// The stages that run and have caches; none when a block failed.
    private(set) lazy var cachedStages = failure == nil ? configuration.pipeline.cachedStages : []
    /// See ``PipelineVersion``.
    private(set) lazy var pipelineFingerprint = configuration.pipeline.fingerprint

    init(_ configuration: Configuration, entries: [Int] = [], failure: RequestError? = nil) {
        self.configuration = configuration
        self.entries = entries
        self.failure = failure
    }

    /// What a resource has that no block can match (rule 2.6).
    static let fallback = ResolvedConfiguration(Configuration())

    /// What a block gets that asks for the configuration it is itself a part of.
    static func unfinished(_ url: URLText, _ method: String, now: Double) -> ResolvedConfiguration {
        let why = "a configuration block uses \(url.string) while the block itself configures it"
        return ResolvedConfiguration(
            Configuration(),
            failure: RequestError(
                cause: .scriptError(.init(message: why)), timestamp: now, url: url.string, method: method))
    }
}

/// A configuration block: which URLs and methods it is for, and what it does.
package struct ConfigurationEntry: Sendable {
    /// The URLs that it is for.
    package let pattern: URLPattern
    /// The methods that it is for; nil for every one.
    package let methods: Set<Method>?
    /// What it is, for `explain` and logs.
    package let description: String
    /// Where it was written, `file:line`; nil for the engine's own.
    package let origin: String?
    /// It does the same to every URL and method that it is for, so its result may be shared.
    package let isUniform: Bool
    let apply: @EngineActor (ConfigurationDraft) throws -> Void

    package init(
        pattern: URLPattern, methods: Set<Method>? = nil, description: String, origin: String? = nil,
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

    func isFor(_ method: String) -> Bool { methods?.contains(Method(method)) ?? true }
}

/// A configuration while blocks edit it. A script may keep the object; once `isFrozen` it must refuse to
/// write.
@EngineActor
package final class ConfigurationDraft {
    /// What the blocks before made, to be edited.
    package var configuration = Configuration()
    /// The method that the configuration is for.
    package let method: String
    /// Nil for an invalid resource, for which no block runs.
    package let url: URLText?
    /// Whether all blocks have run: it is changed no more.
    package internal(set) var isFrozen = false

    init(method: String, url: URLText?) {
        self.method = method
        self.url = url
    }
}

extension Resource {
    /// The configuration in use, for a script to look at: frozen (rule 14.4).
    package func configurationDraft(for method: String) -> ConfigurationDraft {
        let draft = ConfigurationDraft(method: method, url: url)
        draft.configuration = configuration(for: method)
        draft.isFrozen = true
        return draft
    }
}
