import LuaRuntime
import RestEngine
import Synchronization

/// `rest.env.NAME`.
final class ScriptEnvironment: LuaObject {
    init() {}

    var keptBytes: Int { 64 }
}

struct EnvBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            fields: [
                BoundField(
                    "env", type: "resthost.env",
                    onLoop { (lua: Lua) in values.push(ScriptEnvironment(), on: lua) })
            ],
            classes: [show(ScriptEnvironment.self, as: makeEnvironmentClass)])
    }

    nonisolated static func refusalText(_ name: String, _ refusal: String) -> String {
        "reading the environment variable '\(name)' is not allowed: \(refusal)"
    }

    func makeEnvironmentClass() -> LuaClass {
        LuaClass(
            "env", documentation: "Granted variables of the environment; nil for one that is not set.",
            index: hostFunction { call in
                let name = try call.string(1, "name")
                if let refusal = context.grants.permissions.refusalOfVariable(name) {
                    throw LuaUsageError(Self.refusalText(name, refusal))
                }
                call.lua.push(optional: options.environment[name])
                return .one
            },
            newIndex: hostFunction { _ in throw LuaUsageError("the environment can't be changed") })
    }
}

/// Variables that a script or one of its modules asked `os.getenv` for and was not granted. It gets nil, as
/// for one that isn't set, so once for each name the log says which it was. Safe on any thread.
final class VariableRefusals: Sendable {
    private let notified = Mutex<Set<String>>([])

    /// What to log, the first time that the name is asked for.
    ///
    /// - Parameter refusal: what would allow it.
    func entry(_ name: String, _ refusal: String, place: String?) -> ScriptLogEntry? {
        guard notified.withLock({ $0.insert(name).inserted }) else { return nil }
        return ScriptLogEntry(level: .warn, text: Self.text(name, refusal), place: place)
    }

    static func text(_ name: String, _ refusal: String) -> String {
        "os.getenv gives nil for '\(name)', for reading this environment variable is not allowed: \(refusal)"
    }
}
