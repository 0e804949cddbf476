import LuaRuntime
import RestEngine

/// What of a script observes without another owner, and how all of it ends with the script.
@EngineActor
final class ScriptObservers {
    /// Owns the functions that observe without another owner.
    private(set) var owner: ScriptLifetime? = ScriptLifetime()
    /// Statuses of which a function of the script wants to hear.
    private var heardStatuses: [ResourceStatus] = []
    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    /// Somebody wants to hear of the status, and nobody may hold it but this.
    func keep(_ status: ResourceStatus) {
        heardStatuses.removeAll { $0.isEmpty && $0 !== status }
        if !heardStatuses.contains(where: { $0 === status }) { heardStatuses.append(status) }
    }

    /// Takes the script's observers from its resources, which may live on.
    func stop(of services: [Service]) {
        heardStatuses = []
        for resource in services.flatMap(\.liveResources) {
            resource.removeObservers { observer in
                guard let observer = observer as? ScriptObserver else { return false }
                return observer.context == nil || observer.context === context
            }
        }
        // Not before: an observer that nobody owns is no listener, and would stay until the resource's next event.
        owner = nil
    }
}

/// Something that dies with a script.
final class ScriptLifetime {}
