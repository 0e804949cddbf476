/// Is notified of changes of a resource (rules 13.1, 13.2).
///
/// Each call is made during the change that it reports. It may call back into the resource.
@EngineActor
public protocol ResourceObserver: AnyObject {
    func changed(_ resource: Resource, _ event: ResourceEvent)

    /// Called with the progress of a load of the resource, 0…1.
    func progress(_ resource: Resource, _ fraction: Double)

    /// Called when its last owner is gone, or it was removed. Not called for an observer that only owns
    /// itself and is released (13.13).
    func stoppedObserving(_ resource: Resource)
}

extension ResourceObserver {
    public func progress(_ resource: Resource, _ fraction: Double) {}
    public func stoppedObserving(_ resource: Resource) {}
}

/// An observer that calls a function. All are different, so the same function may be added repeatedly
/// (13.12).
@EngineActor
final class ClosureObserver: ResourceObserver {
    private let closure: @EngineActor (Resource, ResourceEvent) -> Void

    init(_ closure: @escaping @EngineActor (Resource, ResourceEvent) -> Void) { self.closure = closure }

    func changed(_ resource: Resource, _ event: ResourceEvent) { closure(resource, event) }
}

/// One observer of one resource, as long as it has an owner (rules 13.13–13.15).
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

    /// Holds the observer while an owner other than itself lives (13.14, 13.19).
    private var held: (any ResourceObserver)?
    /// The observer, if it owns itself or used to.
    private weak var own: (any ResourceObserver)?
    private var isSelfOwned = false
    private weak var owner: AnyObject?
    /// The object that is kept for the owner.
    private var hold: AnyObject?
    /// Most observers have one owner.
    private var moreOwners: [Owner] = []
    /// The objects of removed owners, kept until the observer has been notified of its end, if that was the
    /// last owner.
    private var formerHolds: [AnyObject] = []

    init(_ observer: any ResourceObserver, owner: AnyObject, hold: AnyObject?) {
        add(owner, of: observer, hold: hold)
    }

    /// - Parameter observer: The observer of this observation.
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

    /// True if it was an owner.
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

    /// Nil if the observer is gone.
    var identity: ObjectIdentifier? { (held ?? own).map(ObjectIdentifier.init) }

    private var hasOwner: Bool { owner != nil || moreOwners.contains { $0.object != nil } }

    /// The observer, as long as it has an owner.
    var listener: (any ResourceObserver)? { hasOwner || isSelfOwned ? held ?? own : nil }

    /// Whether it has an owner. Stops holding an observer that only owns itself.
    func survives() -> Bool {
        guard hasOwner || isSelfOwned else { return false }
        releaseHolds()
        if hasOwner { return true }
        held = nil
        return own != nil
    }

    /// Releases the objects of owners that are gone.
    private func releaseHolds() {
        if owner == nil { hold = nil }
        if !formerHolds.isEmpty { formerHolds = [] }
        if !moreOwners.isEmpty { moreOwners.removeAll { $0.object == nil } }
    }

    /// Notifies the observer of its end, if it still lives.
    func end(at resource: Resource) {
        let last = held ?? own
        held = nil
        own = nil
        last?.stoppedObserving(resource)
        releaseHolds()
    }
}
