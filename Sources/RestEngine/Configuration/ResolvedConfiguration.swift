/// The frozen configuration of one resource and method, with the blocks that made it.
@EngineActor
package final class ResolvedConfiguration {
    /// The result of the blocks.
    package let configuration: Configuration
    /// Indices of the blocks that applied, in order.
    package let entries: [Int]
    /// Set if a block failed: every request with this configuration fails with this error.
    package let failure: RequestError?
    /// The stages that run and have caches; none when a block failed.
    private(set) lazy var cachedStages = failure == nil ? configuration.pipeline.cachedStages : []
    /// See ``PipelineVersion``.
    private(set) lazy var pipelineFingerprint =
        // Data from the network is wrong for a resource that is computed now, and the other way round.
        configuration.pipeline.fingerprint ^ (configuration.computation == nil ? 0 : 0x9E37_79B9_7F4A_7C15)

    init(_ configuration: Configuration, entries: [Int] = [], failure: RequestError? = nil) {
        self.configuration = configuration.checkingSchema
        self.entries = entries
        self.failure = failure
    }

    /// The configuration of a resource that no block can match (rule 2.6).
    static let fallback = ResolvedConfiguration(Configuration())

    /// The configuration for a block that asks for the configuration it is part of.
    static func unfinished(_ url: URLText, _ method: String, now: Double) -> ResolvedConfiguration {
        let why = "a configuration block uses \(url.string) while the block itself configures it"
        return ResolvedConfiguration(
            Configuration(),
            failure: RequestError(
                cause: .scriptError(.init(message: why)), timestamp: now, url: url.string, method: method))
    }
}

/// A configuration block: the URLs and methods that it is for, and its function.
package struct ConfigurationEntry: Sendable {
    /// The URLs that it is for.
    package let pattern: URLPattern
    /// The methods that it is for; nil for every one.
    package let methods: Set<Method>?
    /// Its name in `explain` and in logs.
    package let description: String
    /// Where it was written, `file:line`; nil for the engine's own.
    package let origin: String?
    /// Whether it has the same effect for every URL and method, so that its result may be shared.
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

/// A configuration while blocks edit it. A script may keep the object; once `isFrozen` is true, writes must
/// be refused.
@EngineActor
package final class ConfigurationDraft {
    /// The result of the earlier blocks, to be edited.
    package var configuration = Configuration()
    /// The method that the configuration is for.
    package let method: String
    /// Nil for an invalid resource, for which no block runs.
    package let url: URLText?
    /// Whether all blocks have run; no changes are allowed then.
    package internal(set) var isFrozen = false

    init(method: String, url: URLText?) {
        self.method = method
        self.url = url
    }
}

extension Resource {
    /// The configuration in use, frozen, for a script to read (rule 14.4).
    package func configurationDraft(for method: String) -> ConfigurationDraft {
        let draft = ConfigurationDraft(method: method, url: url)
        draft.configuration = configuration(for: method)
        draft.isFrozen = true
        return draft
    }
}
