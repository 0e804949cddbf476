import CLua

extension Lua {
    /// Where the script that called the running host function stands.
    public var callerPlace: (file: String, line: Int)? {
        var source: UnsafePointer<CChar>?
        var line: Int32 = 0
        guard clua_caller_place(checked, &source, &line), let source else { return nil }
        return (state.path(ofChunk: String(cString: source)), Int(line))
    }

    /// Where the function at `index` was written, `file:line`; nil for host functions and other values.
    public func place(ofFunction index: Int32) -> String? {
        definition(ofFunction: index).map { "\($0.file):\($0.line)" }
    }

    /// File and line in which the function at `index` begins; nil for host functions and other values.
    public func definition(ofFunction index: Int32) -> (file: String, line: Int)? {
        var source: UnsafePointer<CChar>?
        var line: Int32 = 0
        guard clua_function_place(room, index, &source, &line), let source else { return nil }
        return (state.path(ofChunk: String(cString: source)), Int(line))
    }
}

extension LuaState {
    /// Where the script stands that runs now, whichever that is; nil when none does.
    public var runningPlace: (file: String, line: Int)? {
        verifyOwner()
        var source: UnsafePointer<CChar>?
        var line: Int32 = 0
        guard !isClosed, clua_running_place(core, &source, &line), let source else { return nil }
        return (path(ofChunk: String(cString: source)), Int(line))
    }

    /// The phase of the script that runs now.
    public var runningPhase: RunPhase? { entry.phase }
}

extension LuaState {
    /// Tells functions apart by what they do: code that is the same, wherever it stands in its file, and that
    /// reaches the same values has the same number in every state of this process. Nil when there is too much
    /// to look at.
    public func fingerprint(of function: LuaReference) -> UInt64? {
        let lua = main
        lua.push(function)
        defer { lua.pop() }
        let number = clua_fingerprint(lua.raw, -1)
        return number == 0 ? nil : number
    }
}
