import RestEngine
import TestSupport

/// An owner of observers that does nothing else.
final class Owner {}

/// An observer that notes its events, and performs a test's action.
@EngineActor
final class NotingObserver: ResourceObserver {
    private let journal: Journal
    private let name: String
    var onEvent: (@EngineActor (Resource, ResourceEvent) -> Void)?
    var onStop: (@EngineActor (Resource) -> Void)?

    init(_ journal: Journal, _ name: String = "o") {
        self.journal = journal
        self.name = name
        LeakList.current?.watch(self)
    }

    func changed(_ resource: Resource, _ event: ResourceEvent) {
        journal.note("\(name) \(event.name)")
        onEvent?(resource, event)
    }

    func progress(_ resource: Resource, _ fraction: Double) { journal.note("\(name) progress \(fraction)") }

    func stoppedObserving(_ resource: Resource) {
        journal.note("\(name) stopped")
        onStop?(resource)
    }
}
