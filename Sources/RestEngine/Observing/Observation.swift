/// Somebody who is told what happens to a resource (rules 13.1, 13.2).
///
/// Each call comes in the middle of the change that it tells of. It may call back into the resource.
@EngineActor
public protocol ResourceObserver: AnyObject {
    func changed(_ resource: Resource, _ event: ResourceEvent)

    /// A load of the resource has come so far, 0…1.
    func progress(_ resource: Resource, _ fraction: Double)

    /// Its last owner is gone, or it was removed. Not told to an observer that nobody owns but itself and
    /// that goes away (13.13).
    func stoppedObserving(_ resource: Resource)
}

extension ResourceObserver {
    public func progress(_ resource: Resource, _ fraction: Double) {}
    public func stoppedObserving(_ resource: Resource) {}
}

/// A function that observes. No two are the same, so the same function may be added again and again (13.12).
@EngineActor
final class ClosureObserver: ResourceObserver {
    private let closure: @EngineActor (Resource, ResourceEvent) -> Void

    init(_ closure: @escaping @EngineActor (Resource, ResourceEvent) -> Void) { self.closure = closure }

    func changed(_ resource: Resource, _ event: ResourceEvent) { closure(resource, event) }
}

/// One observer of one resource, for as long as somebody owns it (rules 13.13–13.15).
@EngineActor
final class Observation {
    private final class Owner {
        weak var object: AnyObject?
        let hold: AnyObject?

        init(_ object: AnyObject, _ hold: AnyObject?) {
            self.object = object
            self.hold = hold
        }
    }

    /// Keeps the observer while an owner other than itself lives (13.14, 13.19).
    private var held: (any ResourceObserver)?
    /// The observer, if it owns itself or did.
    private weak var own: (any ResourceObserver)?
    private var isSelfOwned = false
    private weak var owner: AnyObject?
    /// What the owner keeps the observer by.
    private var hold: AnyObject?
    /// Most observers have one owner.
    private var moreOwners: [Owner] = []
    /// Of owners that were removed: the observer has yet to hear of its end, if that was the last one.
    private var formerHolds: [AnyObject] = []

    init(_ observer: any ResourceObserver, owner: AnyObject, hold: AnyObject?) {
        add(owner, of: observer, hold: hold)
    }

    /// `observer` is the one that this is about.
    func add(_ new: AnyObject, of observer: any ResourceObserver, hold: AnyObject?) {
        if new === observer {
            isSelfOwned = true
            own = observer
            return
        }
        held = observer
        guard new !== owner, !moreOwners.contains(where: { $0.object === new }) else { return }
        if owner == nil {
            owner = new
            self.hold = hold
        } else {
            moreOwners.append(Owner(new, hold))
        }
    }

    /// True when that owner had a part in it.
    func remove(_ gone: AnyObject) -> Bool {
        if isSelfOwned, gone === own {
            isSelfOwned = false
        } else if gone === owner {
            owner = nil
        } else if let index = moreOwners.firstIndex(where: { $0.object === gone }) {
            if let hold = moreOwners.remove(at: index).hold { formerHolds.append(hold) }
        } else {
            return false
        }
        return true
    }

    func removeAllOwners() {
        isSelfOwned = false
        owner = nil
        formerHolds += moreOwners.compactMap(\.hold)
        moreOwners = []
    }

    func isOf(_ other: any ResourceObserver) -> Bool { held === other || own === other }

    /// Nil when the observer is gone.
    var identity: ObjectIdentifier? { (held ?? own).map(ObjectIdentifier.init) }

    private var hasOwner: Bool { owner != nil || moreOwners.contains { $0.object != nil } }

    /// The observer, while somebody owns it.
    var listener: (any ResourceObserver)? { hasOwner || isSelfOwned ? held ?? own : nil }

    /// Whether it goes on. What only the observer itself owns is let go of.
    func survives() -> Bool {
        guard hasOwner || isSelfOwned else { return false }
        releaseHolds()
        if hasOwner { return true }
        held = nil
        return own != nil
    }

    /// Those of the owners that are gone.
    private func releaseHolds() {
        if owner == nil { hold = nil }
        if !formerHolds.isEmpty { formerHolds = [] }
        if !moreOwners.isEmpty { moreOwners.removeAll { $0.object == nil } }
    }

    /// The last that the observer hears, if there still is one.
    func end(at resource: Resource) {
        let last = held ?? own
        held = nil
        own = nil
        last?.stoppedObserving(resource)
        releaseHolds()
    }
}
