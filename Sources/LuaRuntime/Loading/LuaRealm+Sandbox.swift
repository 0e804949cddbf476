/// The part of the standard library that needs Swift; the rest is CLua's.
extension LuaRealm {
    func openSandbox() {
        let lua = state.main
        pushGlobals(on: lua)
        set("require", on: lua) { [self] in try require($0) }
        set("print", on: lua) { [self] in try print($0) }
        lua.rawGet(-1, "io")
        set("write", on: lua) { [self] in try write($0) }
        lua.pop()
        lua.rawGet(-1, "os")
        set("getenv", on: lua) { [self] arguments in
            if let value = environment(try arguments.string(1, "name")) {
                arguments.lua.push(value)
            } else {
                arguments.lua.pushNil()
            }
            return .results(1)
        }
        lua.pop(2)
    }

    private func set(_ name: String, on lua: Lua, _ function: @escaping HostFunction) {
        lua.push(function: function, name: name)
        lua.rawSet(-2, name)
    }

    private func print(_ arguments: Arguments) throws -> Verdict {
        var line = ""
        for index in 0..<arguments.count {
            if index > 0 { line += "\t" }
            line += try arguments.lua.tostring(index + 1)
        }
        output(line + "\n")
        return .results(0)
    }

    private func write(_ arguments: Arguments) throws -> Verdict {
        var text = ""
        for index in 0..<arguments.count {
            guard [.string, .number].contains(arguments.type(index + 1)) else {
                throw arguments.wrongType(index + 1, "text", "string")
            }
            text += try arguments.lua.tostring(index + 1)
        }
        output(text)
        return .results(0)
    }
}
