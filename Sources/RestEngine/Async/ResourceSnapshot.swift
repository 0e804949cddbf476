/// What is known of a resource at one moment (siesta-semantics 28.7).
public struct ResourceSnapshot: Sendable, ContentHolder {
    public let latestData: Entity?
    public let latestError: RequestError?
    public let isLoading: Bool
    public let isRequesting: Bool

    public var contentEntity: Entity? { latestData }
}

/// An event of a resource, and its state when it came.
public struct ResourceUpdate: Sendable {
    public let event: ResourceEvent
    public let snapshot: ResourceSnapshot
}

extension Resource {
    /// Data, error and loading in one look, for code outside of the engine.
    public var snapshot: ResourceSnapshot {
        ResourceSnapshot(
            latestData: latestData, latestError: latestError, isLoading: isLoading, isRequesting: isRequesting
        )
    }
}
