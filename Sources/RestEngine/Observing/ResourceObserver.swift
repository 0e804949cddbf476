/// Somebody who is told what happens to a resource (rules 13.1, 13.2).
///
/// Each call comes in the middle of the change that it tells of. It may call back into the resource.
@EngineActor
public protocol ResourceObserver: AnyObject {
    func changed(_ resource: Resource, _ event: ResourceEvent)

    /// A load of the resource has come so far, 0…1.
    func progress(_ resource: Resource, _ fraction: Double)

    /// Its last owner is gone, or it was removed. Not told to an observer that nobody owns but itself and that goes
    /// away (13.13).
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
