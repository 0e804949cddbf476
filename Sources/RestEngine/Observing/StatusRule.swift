/// A rule by which a status over several resources may be decided (rule 28.1).
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

    /// What the rules look at: of how many resources what is true.
    struct Facts {
        var all = 0
        var loading = 0
        var withData = 0
        var withError = 0
    }

    enum Decision: Equatable {
        case loading, success, error
    }

    /// The first rule that applies decides; with none it is a success.
    static func decide(_ priority: [StatusRule], _ resources: Facts, isLoadingManually: Bool) -> Decision {
        for rule in priority {
            switch rule {
            case .loading: if resources.loading > 0 { return .loading }
            case .manualLoading: if isLoadingManually { return .loading }
            case .anyData: if resources.withData > 0 { return .success }
            case .allData: if resources.withData == resources.all { return .success }
            case .error: if resources.withError > 0 { return .error }
            }
        }
        return .success
    }
}
