/// A rule by which a status over several resources may be decided (siesta-semantics 28.1).
public enum StatusRule: String, Sendable, CaseIterable {
    /// Any of them is loading: "loading".
    case loading
    /// A request that the user asked for is under way: "loading".
    case manualLoading = "manual_loading"
    /// One of them has data, or all have: "success".
    case anyData = "any_data"
    case allData = "all_data"
    /// Any has an error: "error", the first one.
    case error

    /// The order of Siesta (28.1).
    public static let usual: [StatusRule] = [.loading, .error, .anyData]

    /// What the rules look at in one resource.
    struct Facts {
        var isLoading = false
        var hasData = false
        var hasError = false
    }

    enum Decision: Equatable {
        case loading, success
        /// The error of the resource at that place in the list.
        case error(Int)
    }

    /// The first rule that applies decides; with none it is a success.
    static func decide(_ priority: [StatusRule], _ resources: [Facts], isLoadingManually: Bool) -> Decision {
        for rule in priority {
            switch rule {
            case .loading: if resources.contains(where: \.isLoading) { return .loading }
            case .manualLoading: if isLoadingManually { return .loading }
            case .anyData: if resources.contains(where: \.hasData) { return .success }
            case .allData: if resources.allSatisfy(\.hasData) { return .success }
            case .error: if let index = resources.firstIndex(where: \.hasError) { return .error(index) }
            }
        }
        return .success
    }
}
