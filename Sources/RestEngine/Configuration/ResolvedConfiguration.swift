/// The frozen configuration of one resource and method, and which blocks made it.
@EngineActor
public final class ResolvedConfiguration {
    /// What the blocks made.
    public let configuration: Configuration
    /// Indices of the blocks that applied, in order.
    public let entries: [Int]
    /// A block failed: every request with this configuration fails with this error.
    public let failure: RequestError?
    /// The stages that run and have caches; none when a block failed.
    private(set) lazy var cachedStages = failure == nil ? configuration.pipeline.cachedStages : []
    /// See ``PipelineMark``.
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
