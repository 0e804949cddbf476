import CLua
import Platform

/// A view of one Lua stack: the main thread's or a coroutine's. Host functions get one; it is valid while
/// they run.
///
/// Indices are Lua's: 1 is the bottom, -1 the top. These functions raise no Lua error; those that may run
/// script code throw.
public struct Lua {
    let raw: OpaquePointer
    public let state: LuaState

    init(_ raw: OpaquePointer, _ state: LuaState) {
        self.raw = raw
        self.state = state
    }

    /// The `lua_State`, for C code that works on this stack. Such code must not raise into Swift.
    public var pointer: OpaquePointer { checked }

    /// The index of the topmost value; also how many there are.
    public var top: Int32 { lua_gettop(checked) }

    /// Whether a host function called here could wait.
    public var isYieldable: Bool { clua_may_wait(checked) }

    /// Whether a host function may suspend the script here: its phase allows it, and no C function is in
    /// between.
    public var mayWait: Bool {
        (state.entry.phase?.mayWait ?? true) && state.entry.coroutine != nil && isYieldable
    }

    public func setTop(_ index: Int32) {
        lua_settop(checked, index)
    }

    public func pop(_ count: Int32 = 1) {
        clua_pop(checked, count)
    }

    public func remove(_ index: Int32) {
        clua_remove(checked, index)
    }

    /// Moves the topmost value to `index`.
    public func insert(_ index: Int32) {
        clua_insert(checked, index)
    }

    public func absolute(_ index: Int32) -> Int32 {
        lua_absindex(checked, index)
    }

    /// Whether the stack has room for so many values, and some more: how many a script asks for is its own
    /// affair.
    public func hasRoom(for count: Int) -> Bool {
        lua_checkstack(checked, Int32(clamping: min(count, 1 << 24)) + 40) != 0
    }

    /// Makes room for `count` more values. Each push of this type does it for one.
    public func checkStack(_ count: Int32) {
        if lua_checkstack(checked, count) == 0 {
            Misuse.stop(
                "misuse of Lua", what: "a Lua stack overflowed from Swift",
                why: "Lua allows about a million values on one stack",
                here: "\(top) values", home: "pop what you push")
        }
    }

    /// The pointer, on the right thread only.
    @inline(__always)
    var checked: OpaquePointer {
        state.verifyOwner()
        return raw
    }

    /// For C that makes values of this state: how many bytes it may take, at least as many as it asks for, or
    /// 0. Then the script is refused memory at its next step.
    public static let lend: @convention(c) (OpaquePointer?, Int) -> Int = { clua_lend($0, $1) }

    /// The pointer with room for one push.
    @inline(__always)
    var room: OpaquePointer {
        checkStack(1)
        return raw
    }
}
