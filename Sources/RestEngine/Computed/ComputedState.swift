/// The additional state of a computed resource: the sources of its data, and how it follows them (rules
/// 71.3, 71.4).
@EngineActor
final class ComputedState {
    /// Seconds for which a new computation waits for sources that are being loaded, so that one computation
    /// sees the changes of all.
    private static let patience = 0.05

    /// The resource owns this object.
    private unowned let resource: Resource
    private(set) var declaration: ComputedDeclaration
    private(set) var sources: [ComputedSource] = []
    private var running: [Computation] = []
    /// The sources that are observed; empty while the resource has no observers.
    private var watched: [Resource] = []
    private lazy var watch = SourceWatch(self)
    private var isPlanned = false
    private var patienceTimer: EngineTimer?
    private var hasWaited = false

    init(_ resource: Resource, _ declaration: ComputedDeclaration) {
        self.resource = resource
        self.declaration = declaration
    }

    var heldBytes: Int { 256 + 192 * sources.count }

    /// The sources of the data and of computations that run, for finding circles.
    var recordsOfSources: [SourceRecord] { (running.flatMap(\.sources) + sources).map(\.record) }

    func clientOfObservers(depth: Int) -> ClientHeaders? {
        resource.observers == nil ? nil : resource.clientInBackground(depth: depth)
    }

    func began(_ computation: Computation, by declaration: ComputedDeclaration) {
        self.declaration = declaration
        running.append(computation)
    }

    /// - Parameter isKept: Whether its sources are those of the data from now on; not after a cancellation.
    func ended(_ computation: Computation, isKept: Bool) {
        computation.end()
        running.remove(identical: computation)
        guard isKept else { return }
        for source in sources { source.record.remove(self) }
        sources = computation.sources
        if declaration.follows { for source in sources { source.record.add(self) } }
    }

    /// Called after each load. The data is stale from the start if a source has changed since it was read, or
    /// if another function has been declared.
    func loadEnded() {
        observeSources()
        let isOutdated = declaration.follows && sources.contains(where: \.isOutdated)
        if isOutdated || resource.configuration(for: "GET").computation !== declaration { sourceChanged() }
    }

    /// The data is stale now; it is computed again in the next tick, if it is observed. The same is true of
    /// resources that are computed from it.
    func sourceChanged() {
        let wasExpired = resource.state.isExpired
        resource.expire()
        planLoad()
        if !wasExpired { Self.notifyDependents(of: resource) }
    }

    /// Resources whose dependents are not notified yet.
    private static var changed: [Resource] = []
    private static var isNotifying = false

    /// It is a loop, because a recursion could be as deep as the graph.
    private static func notifyDependents(of resource: Resource) {
        changed.append(resource)
        guard !isNotifying else { return }
        isNotifying = true
        defer { isNotifying = false }
        while let next = changed.popLast() { next.core.sources.changed(next) }
    }

    // MARK: Observing

    func observersChanged() {
        if resource.observers == nil { hasWaited = false }
        observeSources()
    }

    /// While the resource has observers, its sources are kept, refreshed and streamed as if they had some.
    private func observeSources() {
        let before = watched
        let isFollowing = declaration.follows && resource.observers != nil
        watched = isFollowing ? sources.compactMap { $0.record.renewedResource() } : []
        WorkScope.forAll {
            for source in watched where !before.contains(identical: source) {
                source.addObserver(watch, owner: watch)
            }
            for source in before where !watched.contains(identical: source) {
                source.removeObservers(ownedBy: watch)
            }
        }
    }

    fileprivate func sourceEvent() { if patienceTimer != nil { planLoad() } }

    private func planLoad() {
        guard resource.observers != nil, !isPlanned else { return }
        isPlanned = true
        WorkScope.outside {
            resource.engine.scheduler.nextTick { [weak self] in
                self?.isPlanned = false
                self?.loadUnlessWaiting()
            }
        }
    }

    private func loadUnlessWaiting() {
        // A load in flight finds by itself that a source has changed meanwhile.
        guard resource.isObserved, resource.isStale, resource.currentLoad == nil,
            resource.mayLoadInBackground
        else { return }
        if !hasWaited, watched.contains(where: \.isLoading) {
            if patienceTimer == nil {
                patienceTimer = resource.engine.scheduler.after(Self.patience) { [weak self] in
                    self?.hasWaited = true
                    self?.patienceTimer = nil
                    self?.loadUnlessWaiting()
                }
            }
            return
        }
        patienceTimer?.cancel()
        patienceTimer = nil
        hasWaited = false
        resource.load()
    }
}

/// Observes the sources of a computed resource, which only keeps them up to date.
@EngineActor
private final class SourceWatch: ResourceObserver {
    private weak var state: ComputedState?

    init(_ state: ComputedState) { self.state = state }

    func changed(_ resource: Resource, _ event: ResourceEvent) { state?.sourceEvent() }
}
