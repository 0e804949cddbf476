/// What observers of a resource are told (siesta-semantics 13.3).
public enum ResourceEvent: Sendable, Equatable {
    /// Where new data came from.
    public enum Source: String, Sendable {
        case network, cache, wipe
        case localOverride = "local_override"
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
        case .newData(let source): "new_data(\(source.rawValue))"
        }
    }
}
