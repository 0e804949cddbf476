import LuaRuntime
import Platform
import RestEngine

/// The result of `rest.gateway`, to which a script adds routes.
final class ScriptGateway: LuaObject {
    var keptBytes: Int { 64 }
}

/// `gateway:route(…)`, `gateway:before(…)` and `gateway:after(…)`.
struct GatewayRouteBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ScriptGateway.self, as: makeGatewayClass)])
    }

    private func makeGatewayClass() -> LuaClass {
        LuaClass(
            "gateway", documentation: "The HTTP gateway; made by rest.gateway.",
            methods: [
                method(
                    "route", "(method: string | string[], path: string, options?: { ... }, fn) -> gateway",
                    """
                    Answers a path of the gateway with `fn(request)`, which may wait and returns a content, a `rest.response`, \
                    or nil and an error. `{name}` in the path stands for one segment, `{name*}` at its end for all others: \
                    `request.params.name`; `**` at its end matches them too. The method `"*"` stands for GET, POST, PUT, PATCH \
                    and DELETE.
                    """, options: Self.routeOptions.descriptions
                ) { call in
                    try context.declarations.declare(call) { try addRoute(call) }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method(
                    "before", "(path: string, options?: { ... }, fn?) -> gateway",
                    """
                    Calls `fn(request)` before a request below this path is answered: by a route, by memory or by an API. It \
                    may wait. It returns nothing to let the request go on, or an answer as a route does. \
                    `request.forward` has the headers that the API gets. It doesn't run below `/-/`.
                    """, options: HookOptions.schemaBefore.descriptions
                ) { call in
                    try context.declarations.declare(call) { try addHook(call, .before) }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method(
                    "after", "(path: string, options?: { ... }, fn) -> gateway",
                    """
                    Calls `fn(request, response)` with the head of each answer below this path, errors and 304 included, before \
                    the client gets it. It may wait, and changes `response.headers`.
                    """, options: HookOptions.schemaAfter.descriptions
                ) { call in
                    try context.declarations.declare(call) { try addHook(call, .after) }
                    call.lua.pushValue(at: 1)
                    return .one
                },
            ])
    }

    private struct RouteOptions {
        var expirationTime: Double?
        var streamsBody = false
    }

    private nonisolated static let routeOptions = ScriptSchema<RouteOptions>([
        .seconds(
            "expiration_time", .zeroOrMore,
            "Seconds for which an answer to GET is kept and shared by all clients; by default it is not kept."
        ) { $0.expirationTime = $1 },
        .flag(
            "stream", default: "false",
            "Call `fn` when the head has arrived. It reads the body as it arrives, with `request:read()` or `request:parts()`."
        ) { $0.streamsBody = $1 },
    ])

    private func addRoute(_ call: Arguments) throws {
        let hasOptions = call.type(3) == .table
        let function = try call.function(hasOptions ? 4 : 3, "fn")
        var options = RouteOptions()
        if hasOptions { try call.options(3).read(Self.routeOptions, into: &options) }
        let place = call.lua.callerPlace
        let (methods, isForAll) = try methods(call)
        let path = try call.text(2, "path", .path)
        let handler = ScriptRoute(context, function)
        let routes = methods.map {
            GatewayDeclaration.Route(
                method: $0, isForAllMethods: isForAll, path: path, expirationTime: options.expirationTime,
                streamsBody: options.streamsBody, handler: handler, file: place?.file, line: place?.line)
        }
        guard context.declarations.gateway != nil else {
            throw LuaUsageError(
                "this gateway was not declared: something is wrong with the call of rest.gateway")
        }
        context.declarations.gateway?.routes += routes
        context.declarations.keep(routes.count * (512 + path.utf8.count))
    }

    /// The methods of `"*"`. The gateway itself answers HEAD and OPTIONS.
    private static let allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    private func methods(_ call: Arguments) throws -> (methods: [String], isForAll: Bool) {
        guard call.type(1) == .table else {
            let method = try call.string(1, "method")
            return method == "*" ? (Self.allMethods, true) : ([Method(method).rawValue], false)
        }
        var methods: [String] = []
        for text in try call.lua.strings(call.slot(1), "method") {
            let method = Method(text).rawValue
            if !methods.contains(method) { methods.append(method) }
        }
        guard !methods.isEmpty else { throw call.bad(1, "method", "the list is empty") }
        return (methods, false)
    }

    // MARK: Hooks

    private func addHook(_ call: Arguments, _ stage: GatewayDeclaration.Hook.Stage) throws {
        var options = HookOptions()
        let hasOptions = call.type(2) == .table
        if hasOptions {
            let schema = stage == .before ? HookOptions.schemaBefore : HookOptions.schemaAfter
            try call.options(2).read(schema, into: &options)
        }
        let index: Int32 = hasOptions ? 3 : 2
        let isLimit = options.rate != nil && call.isAbsent(index)
        let function = isLimit ? nil : try call.function(index, "fn")
        let place = call.lua.callerPlace
        let path = try call.text(1, "path", .path)
        guard context.declarations.gateway != nil else {
            throw LuaUsageError(
                "this gateway was not declared: something is wrong with the call of rest.gateway")
        }
        context.declarations.gateway?.hooks.append(
            GatewayDeclaration.Hook(
                stage: stage, path: path, methods: options.methods, rate: options.rate,
                handler: function.map { ScriptGatewayHook(context, $0) }, file: place?.file,
                line: place?.line))
        context.declarations.keep(512 + path.utf8.count)
    }
}
