import LuaRuntime
import RestEngine

/// What of a script observes without another owner, and how all of it ends with the script.
@EngineActor
final class ScriptObservers {
    /// Owns the functions that observe without another owner.
    private(set) var owner: ScriptLifetime? = ScriptLifetime()
    /// Statuses of which a function of the script wants to hear.
    private var heardStatuses: [ResourceStatus] = []
    private var listeners: [ScriptListener] = []
    private unowned let context: ScriptContext

    /// Of `rest.on_event` in one script (docs/reference/limits.md, L81).
    private static let mostListeners = 100

    init(_ context: ScriptContext) { self.context = context }

    /// It hears of events until it is cancelled or the script ends.
    func keep(_ listener: ScriptListener) throws(LuaUsageError) {
        guard listeners.count < Self.mostListeners else {
            throw LuaUsageError(
                "there are \(Self.mostListeners) listeners already: is rest.on_event called again and again, where one "
                    + "listener would do, or is a 'cancel' missing?")
        }
        listeners.append(listener)
    }

    func forget(_ listener: ScriptListener) { listeners.removeAll { $0 === listener } }

    /// Somebody wants to hear of the status, and nobody may hold it but this.
    func keep(_ status: ResourceStatus) {
        heardStatuses.removeAll { $0.isEmpty && $0 !== status }
        if !heardStatuses.contains(where: { $0 === status }) { heardStatuses.append(status) }
    }

    /// Takes the script's observers from its resources, which may live on.
    func stop(of services: [Service]) {
        heardStatuses = []
        for listener in listeners { listener.cancel() }
        for resource in services.flatMap(\.liveResources) {
            resource.removeObservers { observer in
                guard let observer = observer as? ScriptObserver else { return false }
                return observer.context == nil || observer.context === context
            }
        }
        // Not before: an observer that nobody owns is no listener, and would stay until the resource's next
        // event.
        owner = nil
    }
}

/// Something that dies with a script.
final class ScriptLifetime {}

/// What of a script observes a resource. Its functions run like hooks: one that waits holds up nobody, one
/// that fails is logged.
@EngineActor
class ScriptObserver: ResourceObserver {
    /// The script that added it last. Weak: the engine may hold observers for longer than their script lives.
    weak var context: ScriptContext?

    init(_ context: ScriptContext) { self.context = context }

    func changed(_ resource: Resource, _ event: ResourceEvent) {}
    func progress(_ resource: Resource, _ fraction: Double) {}
    func stoppedObserving(_ resource: Resource) {}

    /// The script, while it runs.
    var liveContext: ScriptContext? { context.flatMap { $0.isClosed ? nil : $0 } }
}

/// A function that observes.
final class FunctionObserver: ScriptObserver {
    enum Function {
        /// For the life of the script.
        case kept(LuaReference)
        /// For the life of an owner of the script's.
        case owned(LuaWeakReference)

        func push(on lua: Lua) -> Bool {
            switch self {
            case .kept(let reference):
                lua.push(reference)
                return true
            case .owned(let reference): return lua.push(reference)
            }
        }
    }

    private let function: Function

    init(_ context: ScriptContext, _ function: Function) {
        self.function = function
        super.init(context)
    }

    override func changed(_ resource: Resource, _ event: ResourceEvent) {
        guard let context = liveContext else { return }
        if context.runner.isLate { return context.runner.later { self.changed(resource, event) } }
        context.runner.run(as: "an observer of \(resource.urlString)") { lua in
            guard function.push(on: lua) else { return nil }
            context.values.push(resource, on: lua)
            lua.push(event.name)
            return 2
        }
    }
}

/// What a table of a script is to the engine: an observer, an owner of observers, or both. It lives as long
/// as the table does, whose methods it calls.
final class TableObserver: ScriptObserver {
    static let methods = ["changed", "progress", "stopped_observing"]

    /// By which one owner keeps the table, at one resource.
    final class Hold {
        let table: LuaWeakReference
        init(_ table: LuaWeakReference) { self.table = table }
    }

    private struct WeakHold {
        weak var hold: Hold?
    }

    private let table: LuaWeakReference
    private var holds: [WeakHold] = []

    init(_ context: ScriptContext, _ table: LuaWeakReference) {
        self.table = table
        super.init(context)
    }

    func hold(_ table: LuaWeakReference) -> Hold {
        let hold = Hold(table)
        holds.removeAll { $0.hold == nil }
        holds.append(WeakHold(hold: hold))
        return hold
    }

    /// Pushes the table; when its owners died, it is found by what they held it by. False when it is gone.
    private func push(on lua: Lua) -> Bool {
        lua.push(table) || holds.contains { $0.hold.map { lua.push($0.table) } ?? false }
    }

    override func changed(_ resource: Resource, _ event: ResourceEvent) {
        if isLate { return later { self.changed(resource, event) } }
        call("changed", resource) { lua in
            lua.push(event.name)
            return 1
        }
    }

    override func progress(_ resource: Resource, _ fraction: Double) {
        if isLate { return later { self.progress(resource, fraction) } }
        call("progress", resource) { lua in
            lua.push(fraction)
            return 1
        }
    }

    override func stoppedObserving(_ resource: Resource) {
        if isLate { return later { self.stoppedObserving(resource) } }
        call("stopped_observing", resource) { _ in 0 }
    }

    private var isLate: Bool { liveContext?.runner.isLate ?? false }

    private func later(_ work: @escaping @EngineActor () -> Void) { liveContext?.runner.later(work) }

    /// Does nothing when the table has no such method.
    private func call(_ method: String, _ resource: Resource, more: (Lua) -> Int32) {
        guard let context = liveContext else { return }
        context.runner.run(as: "'\(method)' of an observer of \(resource.urlString)") {
            lua throws(LuaError) in
            guard push(on: lua) else { return nil }
            if lua.rawGet(-1, method) == .nil {
                lua.pop()
                try lua.get(-1, method)
                if lua.type(-1) == .nil { return nil }
            }
            lua.insert(-2)
            context.values.push(resource, on: lua)
            return 2 + more(lua)
        }
    }
}
