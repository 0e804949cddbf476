import LuaRuntime
import RestEngine

/// `rest.env.NAME`.
final class ScriptEnvironment {
    init() {}
}

extension ScriptContext {
    func makeEnvironmentClass() -> LuaClass {
        LuaClass(
            "env", documentation: "Granted variables of the environment; nil for one that is not set.",
            index: hostFunction { [unowned self] call in
                let name = try call.string(1, "name")
                if let refusal = grants.permissions.refusalOfVariable(name) {
                    throw LuaUsageError(
                        "reading the environment variable '\(name)' is not allowed: \(refusal)")
                }
                call.lua.push(optional: options.environment[name])
                return .one
            },
            newIndex: hostFunction { _ in throw LuaUsageError("the environment can't be changed") })
    }
}
