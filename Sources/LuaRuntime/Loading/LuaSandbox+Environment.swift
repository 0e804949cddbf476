import CLua

/// The part of the standard library that needs Swift; the rest is CLua's.
extension LuaSandbox {
    func openSandbox() {
        let lua = state.main
        pushGlobals(on: lua)
        openPackage(on: lua)
        set("require", on: lua) { [self] in try require($0) }
        set("print", on: lua) { [self] in try print($0) }
        set("warn", on: lua) { [self] in try warn($0) }
        lua.rawGet(-1, "io")
        set("write", on: lua) { [self] arguments in
            output(try text(arguments, from: 1))
            return .results(0)
        }
        pushStream(on: lua) { [self] in output($0) }
        lua.rawSet(-2, "stdout")
        pushStream(on: lua) { [self] in
            if let errorOutput { errorOutput(String(decoding: $0, as: UTF8.self)) } else { output($0) }
        }
        lua.rawSet(-2, "stderr")
        pushStandardInput(on: lua)
        lua.rawSet(-2, "stdin")
        lua.pop()
        lua.rawGet(-1, "os")
        set("getenv", on: lua) { [self] arguments in
            let name = try arguments.string(1, "name")
            let value = environment(name)
            if let value {
                arguments.lua.push(value)
            } else {
                onVariableMissing?(name, arguments.lua.callerPlace)
                arguments.lua.pushNil()
            }
            return .results(1)
        }
        lua.pop(2)
    }

    /// A file as far as libraries write to it.
    private func pushStream(on lua: Lua, _ write: @escaping ([UInt8]) -> Void) {
        lua.newTable(record: 4)
        set("write", on: lua) { [self] arguments in
            write(try text(arguments, from: 2))
            arguments.lua.pushValue(at: 1)
            return .results(1)
        }
        for name in ["flush", "setvbuf", "close"] {
            set(name, on: lua) { arguments in
                arguments.lua.push(true)
                return .results(1)
            }
        }
    }

    private func pushStandardInput(on lua: Lua) {
        lua.newTable(record: 2)
        for name in ["read", "lines"] {
            lua.checkStack(2)
            clua_push_stub(lua.raw, "io.stdin:\(name)")
            lua.rawSet(-2, name)
        }
    }

    private func set(_ name: String, on lua: Lua, _ function: @escaping HostFunction) {
        lua.push(function: function, name: name)
        lua.rawSet(-2, name)
    }

    private func print(_ arguments: Arguments) throws -> CallResult {
        var line: [UInt8] = []
        for index in 0..<arguments.count {
            if index > 0 { line.append(UInt8(ascii: "\t")) }
            // A string as it is: what follows may want these bytes, and a terminal is guarded where it is
            // written to.
            if let bytes = arguments.lua.bytes(index + 1) {
                line += bytes
            } else {
                line += Array(try arguments.lua.printed(index + 1).utf8)
            }
        }
        output(line + [UInt8(ascii: "\n")])
        return .results(0)
    }

    /// Words such as "@on" would turn Lua's own warnings on and off.
    private func warn(_ arguments: Arguments) throws -> CallResult {
        let text = String(decoding: try self.text(arguments, from: 1), as: UTF8.self)
        if arguments.count == 1, text.hasPrefix("@") { return .results(0) }
        if let errorOutput { errorOutput(text) } else { output(Array("warning: \(text)\n".utf8)) }
        return .results(0)
    }

    private func text(_ arguments: Arguments, from first: Int32) throws -> [UInt8] {
        var text: [UInt8] = []
        for index in first..<max(first, arguments.count + 1) {
            guard [.string, .number].contains(arguments.type(index)) else {
                throw arguments.wrongType(index, "text", "string")
            }
            if let bytes = arguments.lua.bytes(index) {
                text += bytes
            } else {
                text += Array(try arguments.lua.tostring(index).utf8)
            }
        }
        return text
    }
}
