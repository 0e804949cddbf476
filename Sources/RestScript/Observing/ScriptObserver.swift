import LuaRuntime
import RestEngine

/// The observers, statuses and listeners of a script, and how they end with it.
@EngineActor
final class ScriptObservers {
    /// The owner of functions that observe without another owner.
    private(set) var owner: ScriptLifetime? = ScriptLifetime()
    /// Statuses with an `on_change` function of the script, with their objects in Lua, which count their
    /// bytes.
    private var heardStatuses: [(status: ResourceStatus, object: LuaReference)] = []
    private var listeners: [ScriptListener] = []
    private unowned let context: ScriptContext

    /// The most listeners of `rest.on_event` in one script (docs/reference/limits.md, L81).
    private static let mostListeners = 100

    init(_ context: ScriptContext) { self.context = context }

    /// Keeps the listener until it is cancelled or the script ends.
    func keep(_ listener: ScriptListener) throws(LuaUsageError) {
        guard listeners.count < Self.mostListeners else {
            throw LuaUsageError(
                "there are \(Self.mostListeners) listeners already: is rest.on_event called again and again, where one "
                    + "listener would do, or is a 'cancel' missing?")
        }
        listeners.append(listener)
    }

    func forget(_ listener: ScriptListener) { listeners.removeAll { $0 === listener } }

    /// Keeps a status with an `on_change` function, because nothing else may hold it.
    func keep(_ status: ResourceStatus, _ object: @autoclosure () -> LuaReference) {
        heardStatuses.removeAll { $0.status.isEmpty && $0.status !== status }
        if !heardStatuses.contains(where: { $0.status === status }) {
            heardStatuses.append((status, object()))
        }
    }

    /// Removes the script's observers from its resources, which may live on.
    func stop(of services: [Service]) {
        heardStatuses = []
        for listener in listeners { listener.cancel() }
        for resource in services.flatMap(\.liveResources) {
            resource.removeObservers { observer in
                guard let observer = observer as? ScriptObserver else { return false }
                return observer.context == nil || observer.context === context
            }
        }
        // The owner goes last: an observer without an owner would not count as an observer, and would stay
        // until the resource's next event.
        owner = nil
    }
}

/// An object that lives as long as its script.
final class ScriptLifetime {}

/// An observer of a resource that belongs to a script. Its functions run like hooks: one that waits blocks
/// nothing else, and one that fails is logged.
@EngineActor
class ScriptObserver: ResourceObserver {
    /// The script that added it last. It is weak, because the engine may hold observers after their script
    /// has ended.
    weak var context: ScriptContext?

    init(_ context: ScriptContext) { self.context = context }

    func changed(_ resource: Resource, _ event: ResourceEvent) {}
    func progress(_ resource: Resource, _ fraction: Double) {}
    func stoppedObserving(_ resource: Resource) {}

    /// The script, unless it is closed.
    var liveContext: ScriptContext? { context.flatMap { $0.isClosed ? nil : $0 } }
}

/// A function of a script as an observer.
final class FunctionObserver: ScriptObserver {
    enum Function {
        /// The function is held as long as the script lives.
        case kept(LuaReference)
        /// The function is held by its owner.
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

/// A table of a script as the engine sees it: an observer, an owner of observers, or both. It lives as long
/// as the table, whose methods it calls.
final class TableObserver: ScriptObserver {
    static let methods = ["changed", "progress", "stopped_observing"]

    /// The object by which one owner holds the table, at one resource.
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

    /// Pushes the table. When the first reference is gone, one of the owners may still hold it. False when it
    /// is gone.
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

    /// Calls a method of the table, if it has one of this name.
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
