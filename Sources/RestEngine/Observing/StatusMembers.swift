/// The resources of a status with their states, so that an event of one resource requires no look at the
/// others.
@EngineActor
struct StatusMembers {
    private struct Member {
        let resource: Resource
        var isLoading = false
        var hasData = false
        var hasError = false
    }

    /// In the order of adding; nil for a removed one.
    private var members: [Member?] = []
    private var places: [ObjectIdentifier: Int] = [:]
    private(set) var facts = StatusRule.Facts()
    /// No resource before this index has an error.
    private var firstError = 0

    var count: Int { facts.all }

    var resources: [Resource] { members.compactMap { $0?.resource } }

    /// The first resource with a known error.
    var firstWithError: Resource? {
        mutating get {
            guard facts.withError > 0 else { return nil }
            while members[firstError]?.hasError != true { firstError += 1 }
            return members[firstError]?.resource
        }
    }

    mutating func add(_ resource: Resource) {
        guard places[ObjectIdentifier(resource)] == nil else { return look(at: resource) }
        places[ObjectIdentifier(resource)] = members.count
        members.append(Member(resource: resource))
        facts.all += 1
        look(at: resource)
    }

    mutating func remove(_ resource: Resource) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(resource)), let member = members[place]
        else { return }
        count(member, -1)
        facts.all -= 1
        members[place] = nil
        if members.count > 16, facts.all < members.count / 2 { closeUp() }
    }

    /// Records the current state of a resource.
    mutating func look(at resource: Resource) {
        guard let place = places[ObjectIdentifier(resource)] else { return }
        look(at: place)
    }

    mutating func lookAtAll() {
        for place in members.indices { look(at: place) }
    }

    private mutating func look(at place: Int) {
        guard var member = members[place] else { return }
        count(member, -1)
        member.isLoading = member.resource.isLoading
        member.hasData = member.resource.latestData != nil
        member.hasError = member.resource.latestError != nil
        count(member, 1)
        members[place] = member
        if member.hasError, place < firstError { firstError = place }
    }

    private mutating func count(_ member: Member, _ step: Int) {
        if member.isLoading { facts.loading += step }
        if member.hasData { facts.withData += step }
        if member.hasError { facts.withError += step }
    }

    private mutating func closeUp() {
        members.removeAll { $0 == nil }
        firstError = 0
        for (place, member) in members.enumerated() {
            if let member { places[ObjectIdentifier(member.resource)] = place }
        }
    }
}

/// A rule that decides a status over several resources (rule 28.1).
public enum StatusRule: String, Sendable, CaseIterable {
    /// A resource is loading: "loading".
    case loading
    /// A request of the user is in flight: "loading".
    case manualLoading = "manual_loading"
    /// A resource has data: "success".
    case anyData = "any_data"
    /// All resources have data: "success".
    case allData = "all_data"
    /// A resource has an error: "error", of the first one.
    case error

    /// The order of rules in Siesta (28.1).
    public static let usual: [StatusRule] = [.loading, .error, .anyData]

    /// The input of the rules: the numbers of resources in each state.
    struct Facts {
        var all = 0
        var loading = 0
        var withData = 0
        var withError = 0
    }

    enum Decision: Equatable {
        case loading, success, error
    }

    /// The first rule that applies decides; if none does, the status is a success.
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
