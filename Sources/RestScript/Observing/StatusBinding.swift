import LuaRuntime
import Platform
import RestEngine

/// `rest.status{ resources=, priority= }` (rules 28.1–28.3).
struct StatusBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "status", "(options: { ... }) -> status",
                    "One status over several resources, which may be the items of the table itself.",
                    options: StatusOptions.schema.descriptions
                ) { call in try makeStatus(call) }
            ],
            classes: [show(ResourceStatus.self, as: makeStatusClass)])
    }

    func makeStatus(_ call: Arguments) throws -> CallResult {
        let options = try call.options(1)
        let lua = call.lua
        var resources: [Resource] = []
        if let place = options.table { resources += try self.resources(lua, place, "the list") }
        var given = StatusOptions()
        try options.read(StatusOptions.schema, into: &given, allowingItems: true)
        if let place = given.resources { resources += try self.resources(lua, place, "'resources'") }
        let priority = try given.priority?.map(rule) ?? StatusRule.usual
        guard resources.count <= Self.mostResources else { throw Self.tooManyResources }
        let status = ResourceStatus(priority: priority)
        for resource in resources { resource.addObserver(status) }
        values.push(status, on: lua)
        return .one
    }

    private func resources(_ lua: Lua, _ place: Int32, _ list: String) throws -> [Resource] {
        guard lua.rawLength(place) <= Self.mostResources else { throw Self.tooManyResources }
        return try (0..<lua.rawLength(place)).map { item in
            try lua.rawItem(place, item + 1)
            defer { lua.pop() }
            guard let resource = lua.object(-1, as: Resource.self) else {
                throw LuaUsageError("item \(item + 1) of \(list) is a resource, not a \(lua.typeName(-1))")
            }
            return resource
        }
    }

    private static let mostResources = 10_000

    private static var tooManyResources: LuaUsageError {
        LuaUsageError("a status is over \(mostResources) resources at most: show several")
    }

    private func rule(_ name: String) throws -> StatusRule {
        if let rule = StatusRule(rawValue: name) { return rule }
        let names = StatusRule.allCases.map(\.rawValue)
        let advice = NearestName.advice(name, among: names)
        throw LuaUsageError(
            "unknown rule '\(name)' in 'priority'"
                + (advice.isEmpty ? ": there are \(names.joined(separator: ", "))" : advice))
    }

    func makeStatusClass() -> LuaClass {
        LuaClass(
            "status",
            documentation:
                "One status over several resources; made by rest.status. The rules of its priority, of which the "
                + "first that applies decides: `loading` (one of them is), `manual_loading` (a tracked request is under way), "
                + "`any_data` and `all_data` (success), `error` (one has one). It is an observer: `resource:add_observer(status)` "
                + "adds a resource.",
            methods: [
                method(
                    "on_change", "(fn: function(status)) -> status",
                    "Runs fn when the state or the error has changed. The status then lives as long as the script, or "
                        + "until it observes nothing."
                ) { call in
                    let status = try call.receiver(as: ResourceStatus.self)
                    let function = call.lua.weakReference(try place(ofCallable: call, 1, "fn"))
                    call.lua.hold(function, by: 1)
                    context.observers.keep(status, call.lua.reference(1))
                    status.onChange { [weak context] status in
                        if context != nil { notify(function, status) }
                    }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method(
                    "retry", "() -> status",
                    "Loads all resources with an error again, even with fresh data, and tracks the requests."
                ) { call in
                    try call.receiver(as: ResourceStatus.self).retry { try call.lua.poll() }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method("track", "(request) -> status", "Counts a request as started by the user.") { call in
                    let request = try call.object(1, "request", as: Request.self, expected: "request")
                    try call.receiver(as: ResourceStatus.self).track(request)
                    call.lua.pushValue(at: 1)
                    return .one
                },
            ],
            properties: [
                property("state", "string", "`loading`, `success` or `error`.") { call in
                    switch try call.receiver(as: ResourceStatus.self).state {
                    case .loading: call.lua.push("loading")
                    case .success: call.lua.push("success")
                    case .error: call.lua.push("error")
                    }
                    return .one
                },
                property("error", "error?", "The error that decided the state.") { call in
                    if case .error(let error) = try call.receiver(as: ResourceStatus.self).state {
                        values.pushError(error, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
            ])
    }

    private func place(ofCallable call: Arguments, _ index: Int32, _ name: String) throws -> Int32 {
        guard call.lua.isCallable(call.slot(index)) else { throw call.wrongType(index, name, "function") }
        return call.slot(index)
    }

    private func notify(_ function: LuaWeakReference, _ status: ResourceStatus) {
        guard !context.isClosed else { return }
        if context.runner.isLate { return context.runner.later { notify(function, status) } }
        context.runner.run(as: "on_change of a status") { lua in
            guard lua.push(function) else { return nil }
            values.push(status, on: lua)
            return 1
        }
    }
}

/// The options of `rest.status`.
private struct StatusOptions {
    /// The index of the value on the stack.
    var resources: Int32?
    var priority: [String]?

    static let schema = ScriptSchema<StatusOptions>([
        .place("resources", type: "resource[]", isTable: true, "The resources of the status.") {
            $0.resources = $1
        },
        .texts("priority", "The rules; the first that applies decides.") {
            $0.priority = $1
        },
    ])
}
