/// One observer of one resource, for as long as somebody owns it (siesta-semantics 13.13–13.15).
@EngineActor
final class Observation {
    private struct Owner {
        weak var object: AnyObject?
    }

    private weak var observer: (any ResourceObserver)?
    /// Keeps the observer while an owner other than itself lives (13.14, 13.19).
    private var held: (any ResourceObserver)?
    private var isSelfOwned = false
    private var owners: [Owner] = []

    init(_ observer: any ResourceObserver, owner: AnyObject) {
        self.observer = observer
        add(owner)
    }

    func add(_ owner: AnyObject) {
        if owner === observer {
            isSelfOwned = true
        } else if !owners.contains(where: { $0.object === owner }) {
            owners.append(Owner(object: owner))
            held = observer
        }
    }

    /// True when that owner had a part in it.
    func remove(_ owner: AnyObject) -> Bool {
        if isSelfOwned, owner === observer {
            isSelfOwned = false
            return true
        }
        guard let index = owners.firstIndex(where: { $0.object === owner }) else { return false }
        owners.remove(at: index)
        return true
    }

    func removeAllOwners() {
        isSelfOwned = false
        owners = []
    }

    func isOf(_ other: any ResourceObserver) -> Bool { observer === other }

    /// Nil when the observer is gone.
    var identity: ObjectIdentifier? { observer.map(ObjectIdentifier.init) }

    /// The observer, while somebody owns it.
    var listener: (any ResourceObserver)? {
        isSelfOwned || owners.contains { $0.object != nil } ? observer : nil
    }

    /// Whether it goes on. What only the observer itself owns is let go of.
    func survives() -> Bool {
        owners.removeAll { $0.object == nil }
        if !owners.isEmpty { return true }
        guard isSelfOwned else { return false }
        held = nil
        return observer != nil
    }

    /// The last that the observer hears, if there still is one.
    func end(at resource: Resource) {
        let last = observer
        held = nil
        last?.stoppedObserving(resource)
    }
}
