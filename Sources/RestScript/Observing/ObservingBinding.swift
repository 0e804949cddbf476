import LuaRuntime
import RestEngine

/// `add_observer remove_observers cancel_load_if_unobserved` of resources.
struct ObservingBinding: ScriptBinding {
    unowned let context: ScriptContext

    var methods: [LuaMethod] {
        [
            method(
                "add_observer",
                "(observer: function(resource, event) | { changed?, progress?, stopped_observing? } | status, owner?) "
                    + "-> resource",
                "Notifies the observer of events, as long as its owner lives: a table or an object such as "
                    + "a request. A table without an owner owns itself, a function lives as long as the script. The "
                    + "table's methods are `changed(self, resource, event)`, `progress(self, resource, fraction)` and "
                    + "`stopped_observing(self, resource)`."
            ) { call in
                try addObserver(call)
                call.lua.pushValue(at: 1)
                return .one
            },
            method(
                "remove_observers", "(owner?)",
                "Removes this owner from all observers; those without another owner stop. nil does nothing."
            ) { call in
                let resource = try call.receiver(as: Resource.self)
                guard !call.isAbsent(1) else { return .none }
                if call.type(1) == .table {
                    resource.removeObservers(
                        ownedBy: call.lua.attachment(call.slot(1), as: TableObserver.self))
                } else {
                    resource.removeObservers(ownedBy: try owner(call, 1))
                }
                return .none
            },
            method(
                "cancel_load_if_unobserved", "(delay?: number, fn?)",
                "Cancels the loads in flight when there is no observer, after the delay if there is one. Then it "
                    + "runs fn in any case."
            ) { call in
                try cancelLoadIfUnobserved(call)
                return .none
            },
        ]
    }

    /// The limit for one resource. All observers are notified in one run, during which the loop does nothing
    /// else.
    private static let mostObservers = 10_000

    private func addObserver(_ call: Arguments) throws {
        try context.runner.requireUnclosed(for: "add_observer")
        // The script that replaced this one has observers of its own.
        guard !context.generation.isRetired else { return }
        let resource = try call.receiver(as: Resource.self)
        guard resource.countObservers(enough: Self.mostObservers) < Self.mostObservers else {
            throw LuaUsageError(
                "\(resource.urlString) has \(Self.mostObservers) observers, and takes no more, because one event notifies all "
                    + "of them at once: is one added again and again, where a table or an owner would end it?"
            )
        }
        let lua = call.lua
        let isOwned = !call.isAbsent(2)
        switch call.type(1) {
        case .function:
            guard isOwned else {
                let observer = FunctionObserver(context, .kept(lua.reference(call.slot(1))))
                if let owner = context.observers.owner { resource.addObserver(observer, owner: owner) }
                return
            }
            let owner = try owner(call, 2)
            let function = lua.weakReference(call.slot(1))
            lua.hold(function, by: call.slot(2))
            resource.addObserver(FunctionObserver(context, .owned(function)), owner: owner)
        case .table:
            try checkMethods(call)
            let observer = attachment(lua, call.slot(1))
            let owner = isOwned ? try owner(call, 2) : observer
            observer.context = context
            let hold = owner === observer ? nil : observer.hold(lua.weakReference(call.slot(1)))
            if let hold { lua.hold(hold.table, by: call.slot(2)) }
            resource.addObserver(observer, owner: owner, hold: hold)
        default:
            let status = try call.object(
                1, "observer", as: ResourceStatus.self, expected: "function, table or status")
            resource.addObserver(status, owner: isOwned ? try owner(call, 2) : status)
        }
    }

    /// The owner for the engine: a host object itself, or a table's attachment.
    private func owner(_ call: Arguments, _ index: Int32) throws -> AnyObject {
        if call.type(index) == .table { return attachment(call.lua, call.slot(index)) }
        guard let object = call.lua.object(call.slot(index)) else {
            throw call.wrongType(index, "owner", "table, or an object such as a request,")
        }
        return object
    }

    private func attachment(_ lua: Lua, _ place: Int32) -> TableObserver {
        if let known = lua.attachment(place, as: TableObserver.self) { return known }
        let new = TableObserver(context, lua.weakReference(place))
        lua.attach(new, of: place)
        return new
    }

    private func checkMethods(_ call: Arguments) throws {
        let lua = call.lua
        for name in TableObserver.methods {
            try lua.get(call.slot(1), name)
            if lua.type(-1) != .nil, !lua.isCallable(-1) {
                throw call.bad(1, "observer", "its field '\(name)' is a \(lua.typeName(-1)), not a function")
            }
            lua.pop()
        }
    }

    private func cancelLoadIfUnobserved(_ call: Arguments) throws {
        let resource = try call.receiver(as: Resource.self)
        guard !call.isAbsent(1) || !call.isAbsent(2) else { return resource.cancelLoadIfUnobserved() }
        try context.runner.requireUnclosed(for: "cancel_load_if_unobserved")
        try context.jobs.requireRoomForTimer()
        let delay = try call.optionalNumber(1, "delay") ?? 0
        guard delay >= 0, delay.isFinite else { throw call.bad(1, "delay", "seconds are 0 or more") }
        let function = call.isAbsent(2) ? nil : try call.callable(2, "fn")
        let check = DelayedCheck()
        context.jobs.add(check)
        check.timer = resource.cancelLoadIfUnobserved(afterSeconds: delay) { [weak context] in
            guard let context else { return }
            context.jobs.remove(check)
            if let function {
                context.runner.run(function, as: "the function of cancel_load_if_unobserved") { _ in 0 }
            }
        }
    }
}

/// A scheduled check whether the resource has observers.
@EngineActor
private final class DelayedCheck: ScriptActivity {
    var timer: EngineTimer?

    var isTimer: Bool { true }

    func cancel() { timer?.cancel() }
}
