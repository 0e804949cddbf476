/// The work of a `loadIfNeeded` that was called during a cache look-up. It waits for the outcome of the
/// look-up, and goes to the network if there is no hit or a stale one (rules 5.6, 5.9–5.11).
@EngineActor
final class CacheLookupWork: RequestWork {
    private let resource: Resource
    private let lookup: CacheLookup
    /// Whether to join the load that is in flight when the network is needed.
    private let joins: Bool
    /// Starts the load that is needed when there is none to join.
    private let startLoad: () -> Request
    /// Keeps the request alive while it waits: the caller may not have kept it.
    private var request: Request?
    /// The load that it waits for after the look-up.
    private var load: Request?

    init(
        _ resource: Resource, _ lookup: CacheLookup, joins: Bool, loading startLoad: @escaping () -> Request
    ) {
        // A cache answers outside of the scope.
        let scope = WorkScope.currentWithinRequest
        self.startLoad = { scope.run(startLoad) }
        self.resource = resource
        self.lookup = lookup
        self.joins = joins
    }

    func start(_ request: Request) {
        self.request = request
        lookup.add(self)
    }

    /// Removes the request from the loads of the resource: the work that follows is a load, or none is
    /// needed.
    func leaveLoads() {
        resource.loadRequests.remove(identical: request)
    }

    /// - Parameter outputs: The hit, and the outputs of the later stages; nil without a hit.
    func lookupEnded(_ outputs: StageOutputs?) {
        guard let request else { return }
        self.request = nil
        if let data = resource.freshData {
            // No server confirmed the data, so it keeps its timestamp (D16); for this request it is new.
            resource.notify(.notModified)
            let outputs = resource.state.isCacheHit ? outputs : nil
            request.complete(
                ResponseInfo(.success(data), stageOutputs: outputs ?? StageOutputs(of: resource)))
        } else if resource.isStateUpToDate, let error = resource.latestError {
            resource.notify(.error)
            request.complete(ResponseInfo(.failure(error)))
        } else {
            let running = resource.loadRequests.first {
                $0 !== request && !$0.isOutdated && !$0.work.mayWait(for: request)
            }
            let load = (joins ? running?.joined(at: request.origin?.place) : nil) ?? startLoad()
            self.load = load
            for pass in request.neededBy { load.need(by: pass) }
            load.onCompletion { [weak load] info in
                request.exchange = load?.exchange
                request.trail = load?.trail
                request.complete(info)
            }
        }
    }

    /// Cancels the wait for the look-up, or the load (D6).
    func cancel(isRunning: Bool) {
        lookup.remove(self)
        request = nil
        load?.cancel()
        load = nil
    }

    /// As for any load: repeats the call, without the look-up (9.5).
    func repeated() -> any RequestWork {
        NetworkWork(resource.loadPlan(isShared: true), of: resource)
    }

    func mayWait(for request: Request) -> Bool {
        load.map { $0 === request || $0.work.mayWait(for: request) } ?? false
    }

    func need(by pass: RefreshPass) { load?.need(by: pass) }

    func heldBytes(beside known: Entity?) -> Int { 256 + (load?.heldBytes(beside: known) ?? 0) }

    var target: (url: String, method: String)? { (resource.urlString, "GET") }

    var fraction: Double { load?.progress ?? 0 }

    var description: String { "GET \(resource.urlString), from a cache or the network" }
}
