/// What observers of a resource are told (rule 13.3).
public enum ResourceEvent: Sendable, Equatable {
    /// Where new data came from.
    public enum Source: Sendable {
        case network, cache, localOverride, wipe
    }

    case observerAdded, requested, requestCancelled, notModified, error
    case newData(Source)

    /// The event's name in scripts and streams.
    public var name: String {
        switch self {
        case .observerAdded: "observer_added"
        case .requested: "requested"
        case .requestCancelled: "request_cancelled"
        case .notModified: "not_modified"
        case .error: "error"
        // Spelt out: each observer of a script is told by this name.
        case .newData(.network): "new_data(network)"
        case .newData(.cache): "new_data(cache)"
        case .newData(.localOverride): "new_data(local_override)"
        case .newData(.wipe): "new_data(wipe)"
        }
    }
}
