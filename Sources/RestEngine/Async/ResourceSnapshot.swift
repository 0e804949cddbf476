/// What is known of a resource at one moment (rule 28.7).
public struct ResourceSnapshot: Sendable, ContentHolder {
    /// The last good data, as ``Resource/latestData``.
    public let latestData: Entity?
    /// The error of the last finished load, as ``Resource/latestError``.
    public let latestError: RequestError?
    /// A load is in flight.
    public let isLoading: Bool
    /// Any request of the resource is in flight.
    public let isRequesting: Bool

    public var contentEntity: Entity? { latestData }
}

/// An event of a resource, and its state when it came.
public struct ResourceUpdate: Sendable {
    /// What happened.
    public let event: ResourceEvent
    /// The state right after it.
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
