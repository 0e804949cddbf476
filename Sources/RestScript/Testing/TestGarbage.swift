import LuaRuntime

extension ScriptTestFile {
    /// `collectgarbage` of a test file: who holds what weakly is for tests to find out. Scripts have `"count"` alone.
    func addCollecting() {
        let lua = home.context.state.main
        home.context.realm.pushGlobals(on: lua)
        lua.push(
            function: hostFunction { [unowned self] call in
                let option = call.isAbsent(1) ? "collect" : try call.string(1, "option")
                switch option {
                case "collect":
                    return home.context.runner.unwound(call) { [unowned self] in
                        home.context.state.collectGarbage()
                    }
                case "count":
                    call.lua.push(Double(memoryUsed) / 1024)
                    return .one
                default:
                    throw LuaUsageError(
                        "collectgarbage '\(option)' is not available to tests, only 'collect' and 'count' are"
                    )
                }
            }, name: "collectgarbage")
        lua.rawSet(-2, "collectgarbage")
        lua.pop()
    }
}
