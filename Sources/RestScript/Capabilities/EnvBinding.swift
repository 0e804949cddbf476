import LuaRuntime
import RestEngine

/// `rest.env.NAME`.
final class ScriptEnvironment {
    init() {}
}

extension ScriptContext {
    /// `os.getenv` gave nil. Libraries ask for names that they can do without, so that is no error.
    func tellOfRefusal(_ name: String, _ place: (file: String, line: Int)?) {
        guard let refusal = permissions.refusalOfVariable(name),
            let entry = variableRefusals.entry(name, refusal, place: place.map { "\($0.file):\($0.line)" })
        else { return }
        options.log(entry)
    }

    func makeEnvironmentClass() -> LuaClass {
        LuaClass(
            "env", documentation: "Granted variables of the environment; nil for one that is not set.",
            index: hostFunction { [unowned self] call in
                let name = try call.string(1, "name")
                if let refusal = permissions.refusalOfVariable(name) {
                    throw LuaUsageError(
                        "reading the environment variable '\(name)' is not allowed: \(refusal)")
                }
                call.lua.push(optional: options.environment[name])
                return .one
            },
            newIndex: hostFunction { _ in throw LuaUsageError("the environment can't be changed") })
    }
}
