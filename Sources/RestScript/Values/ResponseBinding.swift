import LuaRuntime
import RestEngine

/// A response as a Lua object.
final class ScriptResponse: LuaObject {
    let response: Response
    let attempts: [RequestAttempt]
    /// Seconds for which the answer of a route is kept; nil leaves that to the route.
    let expirationSeconds: Double?

    init(_ response: Response, _ attempts: [RequestAttempt]? = nil, expirationSeconds: Double? = nil) {
        self.response = response
        self.expirationSeconds = expirationSeconds
        self.attempts = attempts ?? response.error?.attempts ?? []
    }

    var keptBytes: Int { response.heldBytes + attempts.heldBytes }
}

/// The argument of a completion hook.
final class ScriptInfo: LuaObject {
    let info: ResponseInfo
    let attempts: [RequestAttempt]
    let keptBytes: Int

    /// - Parameter request: The request that the outcome belongs to.
    @EngineActor
    init(_ info: ResponseInfo, of request: Request?) {
        self.info = info
        attempts = request?.attempts ?? []
        keptBytes = info.heldBytes + attempts.heldBytes
    }
}

/// `rest.success`, `rest.failure`, and the Lua classes of outcomes.
struct ResponseBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction("success", "(entity) -> response", "A response that is a success.") { call in
                    let entity = try call.object(
                        1, "entity", as: ScriptEntity.self,
                        expected: "entity, made by rest.entity { content = … },")
                    values.push(Response.success(entity.entity), on: call.lua)
                    return .one
                },
                ModuleFunction("failure", "(error) -> response", "A response that is a failure.") { call in
                    let error = try call.object(
                        1, "error", as: ScriptErrorBox.self,
                        expected: "error, made by rest.error { user_message = … },")
                    values.push(Response.failure(error.error), on: call.lua)
                    return .one
                },
            ],
            classes: [
                show(ScriptResponse.self, as: makeResponseClass), show(ScriptInfo.self, as: makeInfoClass),
            ])
    }

    func makeResponseClass() -> LuaClass {
        LuaClass(
            "response", documentation: "An outcome: an entity or an error.",
            properties: [
                property("ok", "boolean", "True for a success.") { call in
                    let response = try call.receiver(as: ScriptResponse.self).response
                    call.lua.push(response.error == nil)
                    return .one
                },
                property(
                    "entity", "entity?",
                    "The entity of a success; nil for a failure, whose body is the error's entity."
                ) { call in
                    if case .success(let entity) = try call.receiver(as: ScriptResponse.self).response {
                        values.push(entity, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                property("error", "error?", "The error of a failure.") { call in
                    if let error = try call.receiver(as: ScriptResponse.self).response.error {
                        values.pushError(error, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                property("attempts", "attempt[]", AttemptFields.documentation) { call in
                    values.push(try call.receiver(as: ScriptResponse.self).attempts, on: call.lua)
                    return .one
                },
            ])
    }

    func makeInfoClass() -> LuaClass {
        LuaClass(
            "info", documentation: "The argument of a completion hook.",
            properties: [
                property("response", "response", "The outcome.") { call in
                    let info = try call.receiver(as: ScriptInfo.self)
                    values.push(ScriptResponse(info.info.response, info.attempts), on: call.lua)
                    return .one
                },
                property("is_new", "boolean", "False when a 304 confirmed the data that was there.") { call in
                    call.lua.push(try call.receiver(as: ScriptInfo.self).info.isNew)
                    return .one
                },
                property("is_cancellation", "boolean", "True when the request was cancelled.") { call in
                    call.lua.push(try call.receiver(as: ScriptInfo.self).info.isCancellation)
                    return .one
                },
            ])
    }
}

extension ScriptValues {
    func push(_ response: Response, on lua: Lua) {
        push(ScriptResponse(response), on: lua)
    }

    /// A response, or the entity of a success, or the error of a failure, as scripts give it.
    func response(_ lua: Lua, _ index: Int32) -> Response? {
        if let box = lua.object(index, as: ScriptResponse.self) { return box.response }
        if let box = lua.object(index, as: ScriptEntity.self) { return .success(box.entity) }
        if let box = lua.object(index, as: ScriptErrorBox.self) { return .failure(box.error) }
        return nil
    }

    /// The same for an argument.
    func response(_ call: Arguments, _ index: Int32, _ name: String) throws -> Response {
        if let response = response(call.lua, call.slot(index)) { return response }
        throw call.wrongType(index, name, "response, entity or error")
    }
}
