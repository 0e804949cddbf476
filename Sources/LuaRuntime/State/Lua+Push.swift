import CLua
import Platform

extension Lua {
    public func pushNil() {
        lua_pushnil(room)
    }

    public func push(_ value: Bool) {
        lua_pushboolean(room, value ? 1 : 0)
    }

    public func push(_ value: Int64) {
        lua_pushinteger(room, lua_Integer(value))
    }

    public func push(_ value: Int) {
        lua_pushinteger(room, lua_Integer(value))
    }

    public func push(_ value: Double) {
        lua_pushnumber(room, value)
    }

    public func push(_ value: String) {
        var value = value
        value.withUTF8 { push(bytes: UnsafeRawBufferPointer($0)) }
    }

    public func push(bytes: UnsafeRawBufferPointer) {
        _ = lua_pushlstring(room, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    public func push(bytes: [UInt8]) {
        bytes.withUnsafeBytes { push(bytes: $0) }
    }

    /// Pushes a copy of the value at `index`.
    public func pushValue(at index: Int32) {
        lua_pushvalue(room, index)
    }

    /// A reference of another state stops the process.
    public func push(_ reference: LuaReference) {
        guard reference.home === state.home else {
            Misuse.stop(
                "misuse of Lua", what: "a LuaReference was pushed in another Lua state",
                why: "states share no values",
                here: "a state that did not make it", home: "the state that made it; copy the value instead")
        }
        clua_push_anchored(room, lua_Integer(reference.slot))
    }

    /// Pushes a function that runs `function`; messages call it `name`.
    ///
    /// - Parameters:
    ///   - bytes: what the function keeps, apart from itself and from values of Lua. They count
    ///     towards the memory limit until Lua lets go of it.
    ///   - function: The function of the host.
    ///   - name: The name in messages.
    public func push(function: @escaping HostFunction, name: String, keeping bytes: Int = 0) {
        push(box: HostBox(name: name, role: .function, function: function), keeping: bytes)
    }

    /// Pushes a function that calls its own first argument, protected and able to wait, and gives the
    /// outcome to `notify`: whether that ended well, its first result or what it raised, then the arguments
    /// behind the first.
    public func push(guardNotifying notify: @escaping HostFunction, name: String) {
        push(function: notify, name: name)
        clua_push_guard(raw)
    }

    /// Pushes the userdata that stands for `object`: always the same one while it lives, so scripts may
    /// compare it and use it as a key. The class given first stays.
    public func push<Object: LuaObject>(object: Object, class luaClass: LuaClass) {
        checkStack(8)
        if clua_push_known(raw, address(of: object)) { return }
        let key = address(of: luaClass)
        let retained = Unmanaged.passRetained(object).toOpaque()
        let kept = max(0, object.keptBytes)
        if !clua_push_object(raw, retained, key, kept) {
            state.register(luaClass, of: Object.self, on: self)
            _ = clua_push_object(raw, retained, key, kept)
        }
        object.wasPushed(in: state)
    }

    /// Pushes the value by which scripts know `error`.
    public func push(error: any Error) {
        state.present(error, on: self)
    }

    func push(box: HostBox, keeping bytes: Int = 0) {
        checkStack(3)
        // Retained for Lua: the collector's callback releases it.
        clua_push_function(raw, Unmanaged.passRetained(box).toOpaque(), bytes)
    }
}
