/// What can be told of a resource without changing anything: no block runs, no cache is asked.
public struct ResourceSummary: Sendable, Equatable {
    /// Something was loaded, or set locally, and not wiped since.
    public var hasData: Bool
    /// Unix time of the later of data and error; 0 with neither (rule 4.5).
    public var timestamp: Double
    /// The code of the latest error (4.4).
    public var errorCode: String?
    /// A request is in flight whose outcome becomes the resource's state (4.6).
    public var isLoading: Bool
    /// Requests of any kind in flight (4.7).
    public var openRequests: Int
    /// Somebody observes it.
    public var isObserved: Bool
}

extension Resource {
    /// Its state as it is now.
    public var summary: ResourceSummary {
        ResourceSummary(
            hasData: state.data != nil, timestamp: state.timestamp, errorCode: state.error?.code,
            isLoading: isLoading, openRequests: allRequests.count, isObserved: observers != nil)
    }

    /// The URL, and a letter each for loading, data and error (rule 4.17). It begins no cache lookup.
    public var summaryText: String {
        let letters =
            (isLoading ? "L" : "") + (state.data == nil ? "" : "D") + (state.error == nil ? "" : "E")
        return letters.isEmpty ? urlString : "\(urlString) [\(letters)]"
    }
}
