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
            "env", documentation: "Granted environment variables; nil when the variable is not set.",
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

/// Variables that a script or one of its modules requested by `os.getenv` without a grant. The result is nil,
/// as for a variable that is not set, so the log names each of them once. Safe on any thread.
final class VariableRefusals: Sendable {
    private let notified = Mutex<Set<String>>([])

    /// The log entry for the first request of the name; nil for later ones.
    ///
    /// - Parameter refusal: says what would allow it.
    func entry(_ name: String, _ refusal: String, place: String?) -> ScriptLogEntry? {
        guard notified.withLock({ $0.insert(name).inserted }) else { return nil }
        return ScriptLogEntry(level: .warn, text: Self.text(name, refusal), place: place)
    }

    static func text(_ name: String, _ refusal: String) -> String {
        "os.getenv returns nil for '\(name)': reading this environment variable is not allowed: \(refusal)"
    }
}
