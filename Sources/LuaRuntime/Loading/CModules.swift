/// Names of well-known modules that are written in C: no folder can give them to a script.
enum CModules {
    private static let names: Set<Substring> = [
        "cjson", "cqueues", "ffi", "iconv", "lfs", "lpeg", "lsqlite3", "lua_zlib", "luasql", "luv", "lxp",
        "lyaml", "mime",
        "openssl", "posix", "rapidjson", "rex_pcre", "rex_pcre2", "socket", "ssl", "struct", "system", "term",
        "zlib",
    ]

    /// For the end of a message that `name` was not found; empty for other modules.
    static func advice(_ name: String, _ options: LuaOptions) -> String {
        let first = name.prefix { $0 != "." }
        guard names.contains(first) else { return "" }
        let instead = options.advice[String(first)] ?? "use one that is written in Lua"
        return "; '\(first)' is written in C, and C modules are not loaded: \(instead)"
    }
}
