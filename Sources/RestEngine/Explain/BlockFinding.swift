/// Something about a configuration block that is probably not meant.
public struct BlockFinding: Sendable, Equatable {
    /// What kind; the names are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// No URL below the base URL matches its pattern.
        case neverMatches = "never_matches"
        /// Its pattern is written as another program has them.
        case foreignPattern = "foreign_pattern"
        /// Later blocks undo all that it does.
        case shadowed = "shadowed_block"
        /// It sends credentials to every host.
        case openCredentials = "open_credentials"
        /// It names a stage that never gets a transformer or a cache.
        case unusedStage = "unused_stage"
        /// It fills a stage that is not in the order.
        case unlistedStage = "unlisted_stage"
    }

    public let code: Code
    /// Its place in ``Service/configurationEntries``.
    public let block: Int
    /// What is wrong, in one sentence.
    public let message: String
    /// What to do about it.
    public let hint: String
}

extension Service {
    /// Looks at all blocks that have an origin, and tries them out on URLs made from their patterns. They run as they
    /// do for requests; nothing is sent.
    public func reviewBlocks() -> [BlockFinding] {
        let review = BlockReview(self)
        return (review.patterns() + review.shadows() + review.credentials() + review.stages())
            .sorted { $0.block < $1.block }
    }
}
