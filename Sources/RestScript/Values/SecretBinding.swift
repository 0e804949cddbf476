import LuaRuntime
import RestEngine

/// `rest.secret` (rule 47.2).
struct SecretBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(functions: [
            ModuleFunction(
                "secret", signature: "(text: string) -> string",
                documentation:
                    "Returns the text, and from now on replaces it by `***` in everything that is printed, logged, explained or recorded."
            ) { call in
                let text = try call.string(1, "text")
                guard SecretMask.hide(text) else {
                    throw call.bad(
                        1, "text",
                        "a secret has 6 bytes to 64 KiB, and this one has \(text.utf8.count): a shorter one would be found everywhere"
                    )
                }
                call.lua.pushValue(at: call.slot(1))
                return .one
            }
        ])
    }
}
