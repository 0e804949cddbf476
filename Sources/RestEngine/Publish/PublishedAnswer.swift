/// A resource's current content with its times, for readers on any thread. Immutable.
public struct PublishedAnswer: Sendable {
    /// The content as it goes out.
    public let content: EncodedContent
    /// Unix times in seconds: when the data was received or confirmed, and until when it is fresh.
    public let timestamp: Double
    /// Unix time in seconds.
    public let expiresAt: Double

    /// It may be given out at that time without asking the server.
    public func isFresh(at now: Double) -> Bool { now <= expiresAt }
}
