import LuaRuntime
import Platform
public import RestEngine

/// The result of `rest.gateway`, to which a script adds routes.
final class ScriptGateway: LuaObject {
    var keptBytes: Int { 64 }
}

/// A client's request as a Lua object, for the function of a route.
final class ScriptServedRequest: LuaObject {
    let request: ServedRequest
    init(_ request: ServedRequest) { self.request = request }

    var keptBytes: Int { request.heldBytes }

    private static let mostFields = 10_000

    /// Throws for a form with so many fields that reading them would hold up the loop.
    func form() throws -> [(name: String, value: String)]? {
        let count = request.body.count { $0 == UInt8(ascii: "&") } + 1
        guard count <= Self.mostFields else {
            throw LuaUsageError("a form has \(Self.mostFields) fields at most, and this body \(count)")
        }
        return request.form
    }
}

/// `gateway:route(…)`, its request objects, and `rest.response`.
struct GatewayRouteBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "response", "(options: { ... }) -> response",
                    "An answer of a route with more than its content. Give one of `json`, `text`, `body` and `file`, or none.",
                    options: RouteResponse.schema.descriptions
                ) { call in try makeResponse(call) }
            ],
            classes: [
                show(ScriptGateway.self, as: makeGatewayClass),
                show(ScriptServedRequest.self, as: makeRequestClass),
            ])
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
                }
            ])
    }

    private nonisolated static let routeOptions = ScriptSchema<Double?>([
        .seconds(
            "expiration_time", .zeroOrMore,
            "Seconds for which an answer to GET is kept and shared by all clients; by default it is not kept."
        ) { $0 = $1 }
    ])

    private func addRoute(_ call: Arguments) throws {
        let hasOptions = call.type(3) == .table
        let function = try call.function(hasOptions ? 4 : 3, "fn")
        var expiration: Double?
        if hasOptions { try call.options(3).read(Self.routeOptions, into: &expiration) }
        let place = call.lua.callerPlace
        let (methods, isForAll) = try methods(call)
        let path = try call.text(2, "path", .path)
        let handler = ScriptRoute(context, function)
        let routes = methods.map {
            GatewayDeclaration.Route(
                method: $0, isForAllMethods: isForAll, path: path, expirationTime: expiration,
                handler: handler, file: place?.file, line: place?.line)
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

    // MARK: Requests

    private func makeRequestClass() -> LuaClass {
        func field(
            _ name: String, _ type: String, _ documentation: String,
            _ push: @escaping @EngineActor (ServedRequest, Lua) -> Void
        ) -> LuaProperty {
            property(name, type, documentation) { call in
                push(try call.receiver(as: ScriptServedRequest.self).request, call.lua)
                return .one
            }
        }
        return LuaClass(
            "served_request", documentation: "A client's request, for the function of a route.",
            properties: [
                field("method", "string", "The method; `GET` for HEAD, too.") { $1.push($0.method) },
                field("path", "string", "The path as the client sent it, without the query.") {
                    $1.push($0.path)
                },
                field("params", "table", "The values for the names in the route's path, by name.") {
                    push($0.params, on: $1)
                },
                field("query", "parameters", "The decoded parameters; a field is the last one of its name.") {
                    values.push(ScriptParameters($0.query), on: $1)
                },
                property(
                    "form", "parameters?",
                    "The fields of a body that is `application/x-www-form-urlencoded`, else nil; 10,000 at most."
                ) { call in
                    guard let pairs = try call.receiver(as: ScriptServedRequest.self).form() else {
                        call.lua.pushNil()
                        return .one
                    }
                    values.push(ScriptParameters(pairs), on: call.lua)
                    return .one
                },
                field("cookies", "table", "The values of the client's cookies, by name.") {
                    push($0.cookies, on: $1)
                },
                field("headers", "headers", "The headers, read only; names compare without case.") {
                    request, lua in
                    values.push(ScriptHeaders(reading: request.headers), on: lua)
                },
                field("body", "string", "The body; empty when there is none.") { $1.push(bytes: $0.body) },
                field("json", "any", "The body if it is JSON, else nil.") { request, lua in
                    guard !request.body.isEmpty, let tree = try? Tree(json: request.body) else {
                        return lua.pushNil()
                    }
                    trees.push(tree, on: lua)
                },
                field(
                    "client", "string?",
                    "The peer's address, which may be a proxy's; nil on a Unix socket."
                ) {
                    $1.push(optional: $0.client)
                },
            ])
    }

    private func push(_ pairs: [(name: String, value: String)], on lua: Lua) {
        lua.newTable(record: Int32(pairs.count))
        for (name, value) in pairs {
            lua.push(value)
            lua.rawSet(-2, name)
        }
    }

    // MARK: Responses

    private func makeResponse(_ call: Arguments) throws -> CallResult {
        var given = RouteResponse()
        try call.options(1).read(RouteResponse.schema, into: &given)
        let json = try given.json.map { Content.value(try tree(call.lua, $0)) }
        let file = try given.file.map { Content.bytes(try fileContent($0)) }
        let contents = [json, given.text, given.body, file].compactMap { $0 }
        guard contents.count < 2 else {
            throw LuaUsageError("a response has one of 'json', 'text', 'body' and 'file'")
        }
        let type = given.file.map(FileContentType.of) ?? Self.type(of: contents.first)
        var entity = Entity(
            content: contents.first ?? .bytes([]),
            contentType: given.contentType ?? given.headers["Content-Type"] ?? type,
            headers: given.headers, timestamp: values.now)
        if let cacheControl = given.cacheControl { entity.headers.set("Cache-Control", cacheControl) }
        entity.status = given.status
        values.push(Response.success(entity), on: call.lua)
        return .one
    }

    private func fileContent(_ path: String) throws -> [UInt8] {
        do { return try FileBinding(context: context).content(of: path) } catch let error as FileError {
            throw LuaUsageError("option 'file' to 'response': \(error.description)")
        }
    }

    private func tree(_ lua: Lua, _ place: Int32) throws -> Tree {
        do { return try trees.tree(lua, place) } catch {
            guard error != .spent else { throw error }
            throw LuaUsageError("option 'json' has no form in JSON: \(error.message)")
        }
    }

    fileprivate static func type(of content: Content?) -> String {
        switch content {
        case .text?: "text/plain"
        case .value?, .json?: "application/json"
        default: "application/octet-stream"
        }
    }
}

/// The function of a route.
@EngineActor
public final class ScriptRoute: Sendable {
    /// The script, which owns this object.
    private weak var context: ScriptContext?
    private let function: LuaReference

    init(_ context: ScriptContext, _ function: LuaReference) {
        self.context = context
        self.function = function
    }

    /// `completion` is called exactly once, possibly before this function returns.
    package func answer(
        _ request: ServedRequest,
        _ completion: @escaping @EngineActor (Result<Entity, RequestError>) -> Void
    ) {
        guard let context, !context.values.isClosed else {
            return completion(.failure(RequestError(cause: ScriptContext.closed.cause, timestamp: 0)))
        }
        context.runner.run(
            function, phase: context.phases.job,
            arguments: { [context] lua in
                context.values.push(ScriptServedRequest(request), on: lua)
                return 1
            },
            completion: { [context] lua, result in
                switch result {
                case .failure(let error): completion(.failure(context.values.requestError(of: error)))
                case .success(let count): completion(Self.outcome(lua, count, context))
                }
            })
    }

    /// The answer from the function's results, which are on top of the stack.
    private static func outcome(
        _ lua: Lua, _ count: Int32, _ context: ScriptContext
    ) -> Result<Entity, RequestError> {
        switch ReturnedAnswer(lua, count, of: "a route", context) {
        case .response(.success(let entity)): return .success(entity)
        case .response(.failure(let error)): return .failure(error)
        case .content(let content):
            var entity = Entity(content: content ?? .bytes([]), timestamp: context.engine.scheduler.now)
            let type = content?.text == nil ? GatewayRouteBinding.type(of: content) : "text/plain"
            entity.headers.set("Content-Type", type)
            entity.status = content == nil ? 204 : 200
            return .success(entity)
        }
    }
}

extension ScriptRoute: Equatable {
    public nonisolated static func == (a: ScriptRoute, b: ScriptRoute) -> Bool { a === b }
}
