import LuaRuntime
import RestEngine

/// `rest.on_reload` and `rest.on_shutdown`.
extension ScriptContext {
    var lifetimeFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "on_reload", "(fn: function())",
                """
                Runs fn when another version of the script has taken this one's place. Its timers and jobs are cancelled \
                then; fn may wait.
                """
            ) { [unowned self] call in
                try requireUnclosed(for: "rest.on_reload")
                let function = try call.function(1, "fn")
                // One that comes too late to be told is told at once.
                if isRetired {
                    run(function, as: "a function of rest.on_reload") { _ in 0 }
                } else {
                    reloadFunctions.append(function)
                }
                return .none
            },
            ModuleFunction(
                "on_shutdown", "(fn: function())",
                "Runs fn when the program is about to end; fn may wait, as long as requests in flight may take."
            ) { [unowned self] call in
                try requireUnclosed(for: "rest.on_shutdown")
                shutdownFunctions.append(try call.function(1, "fn"))
                return .none
            },
        ]
    }

    func shutDown(_ completion: @escaping @EngineActor () -> Void) {
        let functions = shutdownFunctions
        shutdownFunctions = []
        var left = functions.count
        guard left > 0, !isClosed else { return completion() }
        for function in functions {
            run(function, arguments: { _ in 0 }) { [self] _, result in
                if case .failure(let error) = result { report(error, in: "a function of rest.on_shutdown") }
                left -= 1
                if left == 0 { completion() }
            }
        }
    }
}
