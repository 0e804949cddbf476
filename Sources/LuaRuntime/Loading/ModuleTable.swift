/// What `require` has found, is loading, and was given by the host.
struct ModuleTable {
    var loaded: [String: LuaReference] = [:]
    /// Names being loaded, outermost first.
    var loading: [String] = []
    var preloaded: [String: (Lua) -> Void] = [:]
}
