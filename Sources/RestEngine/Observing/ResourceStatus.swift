/// One status over several resources: whether to show a loading indicator, an error, or the data (rules
/// 28.1–28.3).
///
/// It is an observer: adding it to a resource adds the resource to the status.
@EngineActor
public final class ResourceStatus: ResourceObserver {
    /// The state that a view should show.
    public enum State: Sendable {
        /// Show that data is loading.
        case loading
        /// Show the data.
        case success
        /// Show this error.
        case error(RequestError)
    }

    /// The rules in order; the first that applies decides.
    public let priority: [StatusRule]
    /// The resources of this status, in the order of adding.
    public var resources: [Resource] { members.resources }
    private var members = StatusMembers()
    /// Requests of the user that have not ended.
    private var manualRequests: [Request] = []
    private var handlers: [@EngineActor (ResourceStatus) -> Void] = []
    private var notified: Reading

    /// Identifies a state; an error is identified by its resource, time and text.
    private struct Reading: Equatable {
        var decision: StatusRule.Decision
        var resource: ObjectIdentifier?
        var timestamp: Double?
        var text: String?
    }

    /// A status without resources; add it to resources as an observer.
    public init(priority: [StatusRule] = StatusRule.usual) {
        self.priority = priority
        notified = Reading(
            decision: StatusRule.decide(priority, StatusRule.Facts(), isLoadingManually: false))
    }

    /// The current state of all resources together.
    public var state: State {
        members.lookAtAll()
        switch decision {
        case .loading: return .loading
        case .success: return .success
        case .error: return members.firstWithError?.latestError.map(State.error) ?? .success
        }
    }

    /// Whether it has no resources.
    public var isEmpty: Bool { members.count == 0 }

    private var decision: StatusRule.Decision {
        StatusRule.decide(priority, members.facts, isLoadingManually: !manualRequests.isEmpty)
    }

    /// Calls `handler` whenever the state has changed, also to a new error.
    public func onChange(_ handler: @escaping @EngineActor (ResourceStatus) -> Void) {
        handlers.append(handler)
    }

    /// Counts a request as requested by the user until it has ended (28.2).
    public func track(_ request: Request) {
        manualRequests.append(request)
        // The list holds the request as long as the hook may run.
        request.onCompletion { [weak self, unowned request] _ in
            self?.manualRequests.remove(identical: request)
            self?.evaluate()
        }
        evaluate()
    }

    /// Loads the resources with an error again, or joins their loads in flight, and tracks these requests
    /// (28.2). The retry time of a resource does not apply (D35).
    public func retry() { retry(polling: {}) }

    /// The same with a poll before each load, which may end it by an error.
    package func retry(polling poll: () throws -> Void) rethrows {
        for resource in resources where resource.latestError != nil {
            try poll()
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
