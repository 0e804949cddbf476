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

    func makeResponseClass() -> LuaClass {
        LuaClass(
            "response", documentation: "An outcome: an entity or an error.",
            properties: [
                property("ok", "boolean", "True for a success.") { call in
                    let response = try call.receiver(as: ScriptResponse.self).response
                    call.lua.push(response.error == nil)
                    return .one
                },
                property("entity", "entity?", "The entity of a success, or the body that came with an error.")
                {
                    [unowned self] call in
                    if let entity = try call.receiver(as: ScriptResponse.self).response.entity {
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
