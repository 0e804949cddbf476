import LuaRuntime
import Platform
import RestEngine

/// `rest.refresh_on(predicate, fn)`. ``RefreshGate`` has the rules.
struct RefreshBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: [refreshOn]) }

    private struct Options {
        var shared: String?

        static let schema = ScriptSchema<Options>([
            .text(
                "shared",
                """
                The name of credentials that all hosts with the same `rest.shared` have together. One host runs fn, which \
                returns them, and the seconds for which they are valid. All get them with `rest.store:get(name)`, or \
                `name:partition`, and their blocks run again.
                """
            ) { options, name in
                guard (1...RefreshBinding.mostNameBytes).contains(name.utf8.count) else {
                    throw OptionFault("has 1 to \(RefreshBinding.mostNameBytes) bytes")
                }
                options.shared = name
            }.taking("1 to 128 bytes")
        ])
    }

    private nonisolated static let mostNameBytes = 128

    private var refreshOn: ModuleFunction {
        ModuleFunction(
            "refresh_on",
            "(predicate: integer | function(err) -> boolean, "
                + "fn: function(partition: string?) -> (true | string | table | nil, number | error), options?: { ... }) "
                + "-> function(resource, request) -> request",
            "A decorator that renews a token: fn runs once for all requests that were refused together, and each is "
                + "repeated once. Each partition has a refresh of its own.",
            options: Options.schema.descriptions
        ) { call in
            let predicate = try refreshPredicate(call)
            let function = try call.scriptFunction(2, "fn")
            var given = Options()
            try call.options(3).read(Options.schema, into: &given)
            if given.shared != nil { _ = try context.sharedMemory.require(for: "refresh_on { shared = … }") }
            let gate =
                context.blocks.current?.gate(for: call.place, context.declarations) ?? RefreshGate()
            let credentials = given.shared.map { context.sharedMemory.credentials($0) }
            let decorate = gate.decorator(
                when: predicate,
                refreshFor: { resource in
                    let own = refresh(function, ofPartition: resource.clientPartition)
                    guard let credentials else { return own { $0.outcome } }
                    return credentials.refresh(for: resource, own)
                })
            call.lua.push(
                function: hostFunction { call in
                    let resource = try call.object(1, "resource", as: Resource.self, expected: "resource")
                    let request = try call.object(2, "request", as: Request.self, expected: "request")
                    values.push(try decorate(resource, request), on: call.lua)
                    return .one
                }, name: "rest.refresh_on(…)", keeping: 512)
            return .one
        }
    }

    private func refreshPredicate(_ call: Arguments) throws -> RefreshGate.Predicate {
        if call.type(1) == .number {
            let status = try call.integer(1, "predicate")
            guard (100...599).contains(status) else {
                throw call.bad(1, "predicate", "a status is 100 to 599")
            }
            return { $0.httpStatusCode == Int(status) }
        }
        guard call.lua.isCallable(call.slot(1)) else {
            throw call.wrongType(1, "predicate", "status or function of the error")
        }
        let function = try call.scriptFunction(1, "predicate")
        return { [weak context] error in
            guard let context else { throw ScriptContext.closed }
            return try context.runner.call(function, phase: phases.refreshPredicate) { lua in
                values.pushError(error, on: lua)
                return 1
            } read: { lua in
                lua.isTruthy(-1)
            }
        }
    }

    /// The result of the function: an outcome, and the credentials that it returned in place of true.
    struct Result {
        var outcome: RefreshGate.Outcome
        var credentials: Tree?
        /// Seconds.
        var lifetime: Double?
    }

    typealias OwnRefresh =
        @EngineActor (
            _ then: @escaping @EngineActor (Result) -> RefreshGate.Outcome
        ) -> RefreshGate.Refresh

    private func refresh(_ function: ScriptFunction, ofPartition partition: String?) -> OwnRefresh {
        { [weak context] then in
            { [weak context] done in
                guard let context, !context.isClosed else {
                    let error = RequestError(thrown: ScriptContext.closed, timestamp: 0)
                    return done(then(Result(outcome: .failed(error))))
                }
                context.runner.run(
                    function.reference,
                    arguments: { lua in
                        guard let partition else { return 0 }
                        lua.push(partition)
                        return 1
                    }
                ) { [context] lua, result in
                    if case .success(0) = result { Self.warnOfMissingReturn(function, context) }
                    done(then(RefreshBinding(context: context).result(lua, result)))
                }
            }
        }
    }

    /// A function that returns nothing probably forgot to; a failure is reported by nil or false.
    private static func warnOfMissingReturn(_ function: ScriptFunction, _ context: ScriptContext) {
        context.options.log(
            ScriptLogEntry(
                level: .warn,
                text:
                    "the function of rest.refresh_on returned nothing, which counts as a failure: 'return true' "
                    + "says that the token is new",
                place: function.place))
    }

    /// A true value means success. After nil or false, an error or its message may follow.
    private func result(_ lua: Lua, _ result: Swift.Result<Int32, LuaError>) -> Result {
        switch result {
        case .failure(let error): return Result(outcome: .failed(values.requestError(of: error)))
        case .success(let count):
            let place = lua.top - count + 1
            if count > 0, lua.isTruthy(place) {
                var made = Result(outcome: .renewed)
                if lua.type(place) == .string || lua.type(place) == .table {
                    made.credentials = try? trees.tree(lua, place)
                }
                if count > 1, let seconds = lua.number(place + 1), seconds > 0 { made.lifetime = seconds }
                return made
            }
            guard count > 1 else { return Result(outcome: .failed(nil)) }
            if let box = lua.object(place + 1, as: ScriptErrorBox.self) {
                return Result(outcome: .failed(box.error))
            }
            return Result(
                outcome: .failed(
                    lua.string(place + 1).map {
                        RequestError(userMessage: $0, timestamp: engine.scheduler.now)
                    }))
        }
    }
}
