import LuaRuntime
import RestEngine

/// `rest.now`, `rest.null` and `rest.version`.
struct BasicsBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "now", signature: "() -> number", documentation: "Unix time in seconds."
                ) { call in
                    call.lua.push(values.now)
                    return .one
                }
            ],
            fields: [
                BoundField("null", type: "lightuserdata") { lua in trees.pushNull(on: lua) },
                BoundField("version", type: "string") { lua in lua.push(Version.text) },
            ])
    }
}

/// The version of this program.
public enum Version {
    public static let text = "0.1.0"
}
