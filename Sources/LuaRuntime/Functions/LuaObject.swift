import CLua

/// A Swift object that scripts see as userdata.
///
/// The bytes that it keeps alive count towards the memory limit of the state. They are measured when Lua gets
/// the object, when a script sets something of it, and by ``LuaState/measure(_:)``, and given back when Lua
/// lets go of it.
public protocol LuaObject: AnyObject {
    /// Bytes that live as long as it does and are in no other account. Values of Lua that it refers to are in
    /// Lua's. Content that several objects share counts for each of them, so that it may not matter which of
    /// them goes first.
    var keptBytes: Int { get }

    /// Lua has got it. An object whose bytes change while no script sets anything has to tell this state.
    func wasPushed(in state: LuaState)
}

extension LuaObject {
    public func wasPushed(in state: LuaState) {}
}

extension LuaState {
    /// Brings the account up to date after a change of what an object keeps. It has no effect when Lua
    /// doesn't have the object, or the state is closed. Beyond the limit, the next call of the host or into
    /// Lua fails.
    public func measure(_ object: some LuaObject) {
        verifyOwner()
        guard !isClosed else { return }
        clua_measure(main.raw, address(of: object), max(0, object.keptBytes))
    }
}

extension LuaState {
    /// Keeps an object's userdata, and with it the account of its bytes, although the script may let go of
    /// it. Nil when Lua doesn't have the object.
    public func reference(to object: some LuaObject) -> LuaReference? {
        verifyOwner()
        guard !isClosed else { return nil }
        let lua = main
        lua.checkStack(4)
        guard clua_push_known(lua.raw, address(of: object)) else { return nil }
        return LuaReference(home: home, slot: anchor(lua.raw))
    }
}

/// The address by which C knows an object. Unretained: the caller holds it.
func address(of object: AnyObject) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque()
}
