/// The work of a `loadIfNeeded` that came while the caches were being looked through: it waits for what they
/// have, and goes to the network when that is nothing, or stale (rules 5.6, 5.9–5.11).
@EngineActor
final class CacheLookupWork: RequestWork {
    private let resource: Resource
    private let lookup: CacheLookup
    /// Take the load that is in flight when the network is needed.
    private let joins: Bool
    /// Starts the load that is needed when there is none to take.
    private let startLoad: () -> Request
    /// Held while it waits: the caller may not have kept it.
    private var request: Request?
    /// The load that it waits for after the look-up.
    private var load: Request?

    init(
        _ resource: Resource, _ lookup: CacheLookup, joins: Bool, loading startLoad: @escaping () -> Request
    ) {
        self.startLoad = startLoad
        self.resource = resource
        self.lookup = lookup
        self.joins = joins
    }

    func start(_ request: Request) {
        self.request = request
        lookup.add(self)
    }

    /// It is no load any more: what follows is one, or needs none.
    func leaveLoads() {
        resource.loadRequests.remove(identical: request)
    }

    /// - Parameter outputs: What a hit was, and what the later stages made of it.
    func lookupEnded(_ outputs: StageOutputs?) {
        guard let request else { return }
        self.request = nil
        if let data = resource.freshData {
            // Confirmed by nobody: the data keeps its time (D16), and for this request it is new.
            resource.notify(.notModified)
            let outputs = resource.state.isCacheHit ? outputs : nil
            request.complete(
                ResponseInfo(.success(data), stageOutputs: outputs ?? StageOutputs(of: resource)))
        } else if resource.isStateUpToDate, let error = resource.latestError {
            resource.notify(.error)
            request.complete(ResponseInfo(.failure(error)))
        } else {
            let running = resource.loadRequests.first { $0 !== request && !$0.work.mayWait(for: request) }
            let load = (joins ? running : nil) ?? startLoad()
            self.load = load
            for pass in request.neededBy { load.need(by: pass) }
            load.onCompletion { [weak load] info in
                request.exchange = load?.exchange
                request.trail = load?.trail
                request.complete(info)
            }
        }
    }

    /// Whichever it waits for (D6).
    func cancel(isRunning: Bool) {
        lookup.remove(self)
        request = nil
        load?.cancel()
        load = nil
    }

    /// As any load: the call again, without the look-up (9.5).
    func repeated() -> any RequestWork {
        NetworkWork(resource.loadPlan(), of: resource)
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
