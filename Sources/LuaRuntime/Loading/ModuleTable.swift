/// What `require` has found, is loading, and was given by the host.
struct ModuleTable {
    /// `package.loaded`: what was found, by name.
    var loaded: LuaReference?
    /// `package.preload`: functions of the script's that give modules.
    var preload: LuaReference?
    /// What `package.path` was at first.
    var path = ""
    /// Names being loaded, outermost first.
    var loading: [String] = []
    var preloaded: [String: (Lua) -> Void] = [:]
}
