import LuaRuntime
import RestEngine

/// A response in a script's hands.
final class ScriptResponse {
    let response: Response
    init(_ response: Response) { self.response = response }
}

/// What a completion hook gets.
final class ScriptInfo {
    let info: ResponseInfo
    init(_ info: ResponseInfo) { self.info = info }
}

extension ScriptContext {
    func push(_ response: Response, on lua: Lua) {
        lua.push(object: ScriptResponse(response), class: responseClass)
    }

    /// A response as scripts give it: one, or the entity of a success, or the error of a failure.
    func response(_ lua: Lua, _ index: Int32) -> Response? {
        if let box = lua.object(index, as: ScriptResponse.self) { return box.response }
        if let box = lua.object(index, as: ScriptEntity.self) { return .success(box.entity) }
        if let box = lua.object(index, as: ScriptErrorBox.self) { return .failure(box.error) }
        return nil
    }

    /// The same as an argument.
    func response(_ call: Arguments, _ index: Int32, _ name: String) throws -> Response {
        if let response = response(call.lua, call.slot(index)) { return response }
        throw call.wrongType(index, name, "response, entity or error")
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
                    "The entity of a success; nil of a failure, whose body is the error's entity."
                ) { [unowned self] call in
                    if case .success(let entity) = try call.receiver(as: ScriptResponse.self).response {
                        push(entity, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                property("error", "error?", "The error of a failure.") { [unowned self] call in
                    if let error = try call.receiver(as: ScriptResponse.self).response.error {
                        pushError(error, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
            ])
    }

    func makeInfoClass() -> LuaClass {
        LuaClass(
            "info", documentation: "What a completion hook gets.",
            properties: [
                property("response", "response", "The outcome.") { [unowned self] call in
                    push(try call.receiver(as: ScriptInfo.self).info.response, on: call.lua)
                    return .one
                },
                property("is_new", "boolean", "False when a 304 confirmed the data that was there.") { call in
                    call.lua.push(try call.receiver(as: ScriptInfo.self).info.isNew)
                    return .one
                },
                property("is_cancellation", "boolean", "The request was cancelled.") { call in
                    call.lua.push(try call.receiver(as: ScriptInfo.self).info.isCancellation)
                    return .one
                },
            ])
    }
}
