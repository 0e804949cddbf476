/// The frozen configuration of one resource and method, and which blocks made it.
@EngineActor
public final class ResolvedConfiguration {
    public let configuration: Configuration
    /// Indices of the blocks that applied, in order.
    public let entries: [Int]
    /// A block failed: every request with this configuration fails with this error.
    public let failure: RequestError?

    init(_ configuration: Configuration, entries: [Int] = [], failure: RequestError? = nil) {
        self.configuration = configuration
        self.entries = entries
        self.failure = failure
    }

    /// What a resource has that no block can match (siesta-semantics 2.6).
    static let fallback = ResolvedConfiguration(Configuration())
}
