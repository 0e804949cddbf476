/// The observers of one resource, in the order of adding (rules 13, D8).
///
/// Observers whose owners are gone get no further events, and leave the list at the next pass over it
/// (13.17).
@EngineActor
final class ObserverList {
    enum News {
        case change, progress
    }

    /// How deep notifications may be nested, when observers cause events by their reactions. Deeper nesting
    /// is an endless loop.
    private static let deepestNesting = 20
    /// Up to this number a linear search is as fast as a table.
    private static let searchable = 16

    private var observations: [Observation] = []
    /// By observer, for long lists. A released observer may block another one at the same address.
    private var index: [ObjectIdentifier: Observation] = [:]
    private var hasRemovals = false
    private var isPruningPlanned = false
    private var nesting = 0
    /// The nesting was too deep and has not ended since: nested events are not reported.
    private var isRestless = false
    private var hasLeftOut = false
    /// The timer of the next load for the observers.
    var refresh: EngineTimer?
    /// Data of another host that is on its way. The host's connection owns it.
    weak var update: SharedLoad?

    var isEmpty: Bool { observations.isEmpty }

    /// Includes observers whose owners are gone without notice.
    var count: Int { observations.count }

    /// Whether no notification is in progress.
    var isIdle: Bool { nesting == 0 }

    /// Adds an observer and notifies it, unless it observes already (13.4, 13.12).
    func add(
        _ observer: any ResourceObserver, owner: AnyObject, hold: AnyObject?, to resource: Resource
    ) {
        var known = find(observer)
        if hasRemovals || known?.survives() == false {
            prune(resource)
            // It may have been added again while others were notified of their end.
            known = find(observer)
        }
        if let known { return known.add(owner, of: observer, hold: hold) }
        let observation = Observation(observer, owner: owner, hold: hold)
        observations.append(observation)
        if observations.count > Self.searchable || !index.isEmpty { record(observation) }
        resource.engine.log.write(.observers, "\(resource.urlString): observer added")
        observer.changed(resource, .observerAdded)
        // The owners of other observers may be gone without notice.
        if observations.count > 1 { planPruning(resource) }
    }

    /// Notifies the observers of a load's progress. Only loads with observers are followed: a request without
    /// listeners needs no timer (12.2, 12.6).
    func follow(_ request: Request, of resource: Resource) {
        request.onProgress { [weak self] fraction in
            guard let self, resource.observers === self else { return }
            resource.notifyObservers(of: .progress) { $0.progress(resource, fraction) }
        }
    }

    func removeOwner(_ owner: AnyObject, of resource: Resource) {
        var isChanged = false
        for observation in observations where observation.remove(owner) { isChanged = true }
        if isChanged { noteRemoval(resource) }
    }

    func remove(from resource: Resource, where matches: (any ResourceObserver) -> Bool) {
        var isChanged = false
        for observation in observations {
            guard let listener = observation.listener, matches(listener) else { continue }
            observation.removeAllOwners()
            isChanged = true
        }
        if isChanged { noteRemoval(resource) }
    }

    /// Notifies all observers that were there at the beginning and have not been removed since (13.23).
    func notify(_ resource: Resource, of news: News, _ deliver: (any ResourceObserver) -> Void) {
        prune(resource)
        guard nesting == 0 || !isRestless else { return hasLeftOut = true }
        guard nesting < Self.deepestNesting else {
            resource.engine.log.write(
                .warning,
                "\(resource.urlString): its observers change it at each notification;"
                    + " \(Self.deepestNesting) nested changes are reported, further ones are not")
            isRestless = true
            hasLeftOut = true
            return
        }
        nesting += 1
        for observation in observations {
            if let listener = observation.listener { deliver(listener) }
        }
        nesting -= 1
        guard nesting == 0, news == .change else { return }
        isRestless = hasLeftOut
        hasLeftOut = false
    }

    /// Removes observers without an owner, and notifies them.
    func prune(_ resource: Resource) {
        hasRemovals = false
        guard observations.contains(where: { !$0.survives() }) else { return }
        var over: [Observation] = []
        var left: [Observation] = []
        for observation in observations {
            if observation.survives() { left.append(observation) } else { over.append(observation) }
        }
        observations = left
        if !index.isEmpty {
            let gone = Set(over.map(ObjectIdentifier.init))
            index = index.filter { !gone.contains(ObjectIdentifier($0.value)) }
        }
        resource.engine.log.write(.observers, "\(resource.urlString): \(over.count) observers gone")
        for observation in over { observation.end(at: resource) }
    }

    private func noteRemoval(_ resource: Resource) {
        hasRemovals = true
        planPruning(resource)
    }

    /// Prunes in the next tick, unless another pass comes first.
    private func planPruning(_ resource: Resource) {
        guard !isPruningPlanned else { return }
        isPruningPlanned = true
        resource.engine.scheduler.nextTick { [weak resource] in
            self.isPruningPlanned = false
            resource?.pruneObservers()
        }
    }

    private func find(_ observer: any ResourceObserver) -> Observation? {
        if index.isEmpty { return observations.first { $0.isOf(observer) } }
        return index[ObjectIdentifier(observer)].flatMap { $0.isOf(observer) ? $0 : nil }
    }

    private func record(_ observation: Observation) {
        for new in index.isEmpty ? observations : [observation] {
            if let identity = new.identity { index[identity] = new }
        }
    }
}
