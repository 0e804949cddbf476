/// Refers to a Lua value that others keep: the script, and what `Lua.hold` made its owners.
///
/// A value whose owners died stays within reach of this reference, and of nothing else, so that it can be told of the
/// end.
public struct LuaWeakReference: Sendable {
    let cell: LuaReference
}
