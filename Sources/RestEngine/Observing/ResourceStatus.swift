/// One status over several resources: whether to show that something is loading, an error, or what there is
/// (rules 28.1–28.3).
///
/// It observes: adding it to a resource as an observer adds the resource to it.
@EngineActor
public final class ResourceStatus: ResourceObserver {
    /// What a view is to show.
    public enum State: Sendable {
        case loading, success
        case error(RequestError)
    }

    /// The rules, the first that applies decides.
    public let priority: [StatusRule]
    /// Those it is about, in the order of adding.
    public var resources: [Resource] { members.resources }
    private var members = StatusMembers()
    /// What a user asked for, until it has ended.
    private var manualRequests: [Request] = []
    private var handlers: [@EngineActor (ResourceStatus) -> Void] = []
    private var notified: Reading

    /// What tells one state from another; an error is known by its resource, its time and what it says.
    private struct Reading: Equatable {
        var decision: StatusRule.Decision
        var resource: ObjectIdentifier?
        var timestamp: Double?
        var text: String?
    }

    /// A status over no resource; add it to some as an observer.
    public init(priority: [StatusRule] = StatusRule.usual) {
        self.priority = priority
        notified = Reading(decision: StatusRule.decide(priority, StatusRule.Facts(), isLoadingManually: false))
    }

    /// The state of all together, as of now.
    public var state: State {
        members.lookAtAll()
        switch decision {
        case .loading: return .loading
        case .success: return .success
        case .error: return members.firstWithError?.latestError.map(State.error) ?? .success
        }
    }

    /// Whether it watches no resource.
    public var isEmpty: Bool { members.count == 0 }

    private var decision: StatusRule.Decision {
        StatusRule.decide(priority, members.facts, isLoadingManually: !manualRequests.isEmpty)
    }

    /// Runs `handler` whenever the state has become another, a new error included.
    public func onChange(_ handler: @escaping @EngineActor (ResourceStatus) -> Void) {
        handlers.append(handler)
    }

    /// Counts a request as asked for by the user until it has ended (28.2).
    public func track(_ request: Request) {
        manualRequests.append(request)
        // The list keeps the request for as long as the hook may run.
        request.onCompletion { [weak self, unowned request] _ in
            self?.manualRequests.remove(identical: request)
            self?.evaluate()
        }
        evaluate()
    }

    /// Loads again what has an error, if its retry time has passed, and tracks it (28.2).
    public func retry() {
        for resource in resources where resource.latestError != nil {
            track(resource.loadRequests.first ?? resource.load())
        }
    }

    // MARK: Observing

    public func changed(_ resource: Resource, _ event: ResourceEvent) {
        if event == .observerAdded { members.add(resource) } else { members.look(at: resource) }
        evaluate()
    }

    public func stoppedObserving(_ resource: Resource) {
        members.remove(resource)
        evaluate()
    }

    private func evaluate() {
        var reading = Reading(decision: decision)
        if reading.decision == .error, let resource = members.firstWithError {
            reading.resource = ObjectIdentifier(resource)
            let error = resource.latestError
            reading.timestamp = error?.timestamp
            reading.text = error?.description
        }
        guard reading != notified else { return }
        notified = reading
        for handler in handlers { handler(self) }
    }
}
