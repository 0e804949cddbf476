/// A resource's current content with its times, for readers on any thread. Immutable.
public struct PublishedAnswer: Sendable {
    public let content: EncodedContent
    /// Unix times in seconds: when the data was received or confirmed, and until when it is fresh.
    public let timestamp: Double
    public let expiresAt: Double

    public func isFresh(at now: Double) -> Bool { now <= expiresAt }
}
