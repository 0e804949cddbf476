import LuaRuntime
import RestEngine

/// `rest.on_reload` and `rest.on_shutdown`.
struct LifetimeBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: lifetimeFunctions) }

    private var lifetimeFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "on_reload", "(fn: function())",
                """
                Runs fn when another version of the script has taken this one's place. Its timers and jobs are cancelled \
                then; fn may wait.
                """
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_reload")
                context.generation.onReload(try call.function(1, "fn"))
                return .none
            },
            ModuleFunction(
                "on_shutdown", "(fn: function())",
                "Runs fn when the program is about to end; fn may wait, as long as requests in flight may take."
            ) { call in
                try context.runner.requireUnclosed(for: "rest.on_shutdown")
                context.generation.onShutdown(try call.function(1, "fn"))
                return .none
            },
        ]
    }
}
