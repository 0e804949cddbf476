import LuaRuntime
import RestEngine

/// `t.assert equal matches raises fail`.
extension ScriptTestFile {
    var checkingFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "assert", "(value, message?, ...) -> value, ...",
                "Fails if value is nil or false, with message, which may be an error object; else gives its arguments."
            ) { [unowned self] call in
                try requireUnfailed()
                let place = try call.any(1, "value")
                if call.lua.isTruthy(place) { return .results(call.count) }
                let value = ValueText().text(call.lua, place)
                throw failure(
                    message(call, 2) ?? "assertion failed: the value is \(value)", call.lua)
            },
            ModuleFunction(
                "equal", "(actual, expected, message?)",
                "Fails unless both are the same value, or tables with equal fields at any depth; metatables don't count. "
                    + "The message, if there is one, goes before what differs."
            ) { [unowned self] call in
                try requireUnfailed()
                guard call.count >= 2 else { throw call.bad(2, "expected", "value expected") }
                let comparison = ValueComparison(home.context, call.lua)
                let differences = comparison.differences(call.slot(1), call.slot(2))
                guard !differences.isEmpty else { return .none }
                let said = message(call, 3).map { "\($0): " } ?? ""
                throw failure(said + ValueDifference.text(differences), call.lua)
            },
            ModuleFunction(
                "matches", "(text: string, pattern: string) -> captures...",
                "Fails unless the Lua pattern, or the same as plain words, is found in the text; gives what string.match gives."
            ) { [unowned self] call in
                try requireUnfailed()
                _ = try call.bytes(2, "pattern")
                let lua = call.lua
                guard try pushText(call.slot(1), lua) else {
                    let actual = ValueText().text(lua, call.slot(1))
                    throw failure("expected a text, got \(actual)", lua)
                }
                let captures = try match(lua, lua.top, call.slot(2))
                guard captures == 0 else { return .results(captures) }
                throw failure(
                    "the text doesn't match the pattern"
                        + pair("pattern", call.slot(2), "text", lua.top, lua),
                    lua)
            },
            ModuleFunction(
                "raises", "(fn, pattern: string?) -> message, error",
                "Calls fn, which may wait, and fails unless it raises an error whose message matches the pattern, or contains "
                    + "it as plain words."
            ) { [unowned self] call in try judgeError(call) },
            ModuleFunction("fail", "(message?)", "Fails the test.") { [unowned self] call in
                try requireUnfailed()
                throw failure(message(call, 1) ?? "t.fail was called", call.lua)
            },
        ]
    }

    /// The second half of `t.raises`. Argument 1 is true when the function did not raise, 2 is its result or
    /// error, 3 the pattern.
    func judgeError(_ call: Arguments) throws -> CallResult {
        try requireUnfailed()
        let lua = call.lua
        guard call.boolean(at: 1) == false else {
            let result = ValueText().text(lua, call.slot(2))
            throw failure("expected an error, but the function returned \(result)", lua)
        }
        if !call.isAbsent(3), call.type(3) != .string {
            throw LuaUsageError(
                "bad argument #2 'pattern' to 't.raises' (string expected, got \(lua.typeName(call.slot(3))))"
            )
        }
        if try !pushText(call.slot(2), lua) {
            lua.push(ValueText().text(lua, call.slot(2)))
        }
        let message = lua.top
        if !call.isAbsent(3) {
            guard try match(lua, message, call.slot(3)) > 0 else {
                throw failure(
                    "the error doesn't match the pattern"
                        + pair("pattern", call.slot(3), "error", message, lua),
                    lua)
            }
        }
        lua.pushValue(at: message)
        lua.pushValue(at: call.slot(2))
        return .results(2)
    }

    /// A failure of the running test. In a hook or a job, the error itself would only be logged, so the
    /// failure is noted, too.
    private func failure(_ message: String, _ lua: Lua) -> LuaError {
        let place = lua.callerPlace
        if lua.state.runningPhase?.name != ScriptPhases.testName {
            run?.fail(Diagnostic(.error, message, file: place?.file, line: place?.line))
        }
        return LuaError(kind: .runtime, message: message, file: place?.file, line: place?.line)
    }

    /// Pushes the captures and returns their number; 0 when nothing matches. A plain sentence matches, too,
    /// although it may have `-` or `?`.
    private func match(_ lua: Lua, _ text: Int32, _ pattern: Int32) throws -> Int32 {
        do throws(LuaError) {
            let captures = try lua.match(text, pattern)
            if captures > 0 { return captures }
            guard contains(lua.bytes(text) ?? [], lua.bytes(pattern) ?? []) else { return 0 }
        } catch {
            guard contains(lua.bytes(text) ?? [], lua.bytes(pattern) ?? []) else {
                throw LuaUsageError("bad pattern: \(error.message)")
            }
        }
        lua.pushValue(at: pattern)
        return 1
    }

    private func contains(_ text: [UInt8], _ words: [UInt8]) -> Bool {
        guard words.count <= text.count else { return false }
        return (0...(text.count - words.count)).contains { text[$0...].starts(with: words) }
    }

    /// Pushes a string, or the text of an object. False, with nothing pushed, for other values.
    private func pushText(_ index: Int32, _ lua: Lua) throws -> Bool {
        switch lua.type(index) {
        case .string: lua.pushValue(at: index)
        case .number: lua.push(try lua.tostring(index))
        case .table, .userdata:
            guard lua.pushMetatable(index) else { return false }
            let isReadable = lua.rawGet(-1, "__tostring") != .nil
            lua.pop(2)
            guard isReadable, !home.context.values.trees.isNull(lua, index) else { return false }
            lua.push(try lua.tostring(index))
        default: return false
        }
        return true
    }

    /// A message argument: a string, or an object with a text.
    private func message(_ call: Arguments, _ index: Int32) -> String? {
        guard !call.isAbsent(index) else { return nil }
        let lua = call.lua
        if (try? pushText(call.slot(index), lua)) == true {
            defer { lua.pop() }
            return lua.string(-1)
        }
        return ValueText().text(lua, call.slot(index))
    }

    private func pair(
        _ firstName: String, _ first: Int32, _ secondName: String, _ second: Int32, _ lua: Lua
    ) -> String {
        let width = max(firstName.utf8.count, secondName.utf8.count)
        let rows = [(firstName, first), (secondName, second)].map { name, index in
            let gap = String(repeating: " ", count: width - name.utf8.count)
            return "\n  \(name):\(gap) \(ValueText().text(lua, index))"
        }
        return rows.joined()
    }
}

extension Arguments {
    /// A boolean that the host itself has put there.
    fileprivate func boolean(at index: Int32) -> Bool? { lua.boolean(slot(index)) }
}
