import LuaRuntime
import RestEngine

/// `rest.all` and `rest.gather`.
struct GatherBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "all", "(list: (request | fn)[]) -> results[] | nil, error, results[]",
                "Waits for all of them and gives the results in order."
            ) { call in try waitForAll(call) },
            ModuleFunction(
                "gather",
                "(list: any[], limit: integer, fn: function(item, index)) -> results[] | nil, error, results[]",
                "Runs fn on each item, at most `limit` at a time."
            ) { call in try gather(call) },
        ])
    }

    /// `rest.all{ request or fn, … }`.
    func waitForAll(_ call: Arguments) throws -> CallResult {
        try context.runner.requireUnclosed(for: "rest.all")
        guard call.type(1) == .table else {
            throw call.wrongType(1, "list", "list, as in rest.all { request, … },")
        }
        let items = try itemsAndHoles(call, try call.table(1, "list"))
        let holes = Set(items.indices.filter { items[$0] == nil })
        for (index, item) in items.enumerated() {
            guard let item else { continue }
            try call.lua.poll()
            call.lua.push(item)
            defer { call.lua.pop() }
            guard call.lua.type(-1) == .function || call.lua.object(-1, as: Request.self) != nil else {
                let mayBeResult = [.table, .string, .userdata].contains(call.lua.type(-1))
                let advice =
                    ": get() and await() wait by themselves and give what came; list resource:load(), or "
                    + "function() return resource:get() end"
                throw call.bad(
                    1, "list",
                    "item \(index + 1) is \(call.lua.nameOfResult(-1)), not a request or a function"
                        + (mayBeResult ? advice : ""))
            }
        }
        return .wait { waiter in
            Gathering(context, waiter, count: items.count, limit: max(1, items.count), holes: holes) {
                gathering, index in
                guard let item = items[index] else { return }
                let lua = state.main
                lua.push(item)
                let request = lua.object(-1, as: Request.self)
                lua.pop()
                if let request {
                    follow(request, gathering, index)
                } else {
                    follow(item, [], gathering, index)
                }
            }.start()
        }
    }

    /// `rest.gather(list, limit, fn)`.
    func gather(_ call: Arguments) throws -> CallResult {
        try context.runner.requireUnclosed(for: "rest.gather")
        let items = try items(call, try call.table(1, "list"))
        let limit = try call.integer(2, "limit")
        guard limit >= 1 else { throw call.bad(2, "limit", "it is 1 or more") }
        let function = try call.function(3, "fn")
        return .wait { waiter in
            Gathering(context, waiter, count: items.count, limit: Int(min(limit, 10_000))) {
                gathering, index in
                let lua = state.main
                lua.push(index + 1)
                let position = lua.reference(-1)
                lua.pop()
                follow(function, [items[index], position], gathering, index)
            }.start()
        }
    }

    /// The most places of a list, including holes (limit L27).
    private static var maxLength: Int64 { 100_000 }

    /// The items of a list, with nil for a hole. Its length is its `n` (table.pack) or else its last place,
    /// because a table does not store nils behind that.
    private func itemsAndHoles(_ call: Arguments, _ table: Int32) throws -> [LuaReference?] {
        let lua = call.lua
        let table = lua.absolute(table)
        var length = Int64(lua.rawLength(table))
        var given: Int64?
        try lua.forEachPair(table) { lua in
            if let place = lua.isInteger(-2) ? lua.integer(-2) : nil, place >= 1 {
                length = max(length, place)
            } else if lua.type(-2) == .string, lua.string(-2) == "n" {
                guard let count = lua.integer(-1), count >= 0 else {
                    throw call.bad(1, "list", "its 'n' is the number of its items")
                }
                given = count
            } else {
                throw call.bad(
                    1, "list", "it has no place for the key '\(lua.string(-2) ?? lua.typeName(-2))'")
            }
        }
        if let given {
            guard given >= length else {
                throw call.bad(1, "list", "its 'n' is \(given), and it has an item \(length)")
            }
            length = given
        }
        guard length <= Self.maxLength else { throw tooLong(call) }
        return try (0..<Int(length)).map { index in
            defer { lua.pop() }
            return try lua.rawItem(table, index + 1) == .nil ? nil : lua.reference(-1)
        }
    }

    private func tooLong(_ call: Arguments) -> LuaUsageError {
        call.bad(1, "list", "a list has \(Self.maxLength) places at most: do the rest when these are done")
    }

    private func items(_ call: Arguments, _ table: Int32) throws -> [LuaReference] {
        let lua = call.lua
        guard lua.rawLength(table) <= Self.maxLength else { throw tooLong(call) }
        return try (0..<lua.rawLength(table)).map { index in
            try lua.rawItem(table, index + 1)
            defer { lua.pop() }
            return lua.reference(-1)
        }
    }

    private func follow(_ request: Request, _ gathering: Gathering, _ index: Int) {
        request.onCompletion { [context] info in
            switch info.response {
            case .failure(let error): gathering.finish(index, .failure(error))
            case .success(let entity):
                guard !context.isClosed else { return }
                let lua = context.state.main
                context.values.push(entity, on: lua)
                let value = lua.reference(-1)
                lua.pop()
                gathering.finish(index, .success(value))
            }
        }
        request.start()
    }

    /// Runs a function of the list. It fails by raising, or by returning nil and an error.
    private func follow(
        _ function: LuaReference, _ arguments: [LuaReference], _ gathering: Gathering, _ index: Int
    ) {
        let job = ScriptJob(context, gatherer: gathering.waiter) { job in
            switch job.outcome {
            case .success(let values)?:
                if values.count >= 2, let error = failure(in: values) {
                    gathering.finish(index, .failure(error))
                } else {
                    gathering.finish(index, .success(values.first))
                }
            case .failure(let error)?: gathering.finish(index, .failure(values.requestError(of: error)))
            case nil: break
            }
        }
        gathering.jobs[index] = job
        job.start(function, arguments)
    }

    private func failure(in values: [LuaReference]) -> RequestError? {
        let lua = state.main
        lua.push(values[0])
        lua.push(values[1])
        defer { lua.pop(2) }
        guard lua.type(-2) == .nil, lua.type(-1) != .nil else { return nil }
        if let known = lua.object(-1, as: ScriptErrorBox.self) { return known.error }
        let message = lua.string(-1) ?? "returned nil and a \(lua.typeName(-1))"
        return RequestError(userMessage: message, timestamp: engine.scheduler.now)
    }
}
