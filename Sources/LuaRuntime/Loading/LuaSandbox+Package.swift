import CLua
import Platform

/// `package`, as far as libraries read it. `loaded` and `preload` work as in Lua; the paths only tell where
/// `require` looks.
extension LuaSandbox {
    /// Adds it to the globals on top.
    func openPackage(on lua: Lua) {
        lua.newTable(record: 7)
        modules.path = searchRoots.map { "\($0)/?.lua;\($0)/?/init.lua" }.plainlyJoined(";")
        for (name, text) in [("config", "/\n;\n?\n!\n-\n"), ("path", modules.path), ("cpath", "")] {
            lua.push(text)
            lua.rawSet(-2, name)
        }
        for name in ["loadlib", "searchpath"] {
            lua.checkStack(2)
            clua_push_stub(lua.raw, "package.\(name)")
            lua.rawSet(-2, name)
        }
        lua.newTable()
        modules.preload = lua.reference(-1)
        lua.rawSet(-2, "preload")
        lua.newTable(record: 16)
        fillLoaded(lua, globals: lua.absolute(-3))
        modules.loaded = lua.reference(-1)
        lua.rawSet(-2, "loaded")
        lua.pushValue(at: -1)
        lua.rawSet(-3, "package")
        // The package is among the loaded, too.
        if let loaded = modules.loaded { lua.push(loaded) } else { lua.pushNil() }
        lua.insert(-2)
        lua.rawSet(-2, "package")
        lua.pop()
    }

    private func fillLoaded(_ lua: Lua, globals: Int32) {
        for name in ["_G", "string", "table", "math", "utf8", "coroutine", "os", "io", "debug"] {
            lua.rawGet(globals, name)
            lua.rawSet(-2, name)
        }
    }

    /// The frozen functions of strings may be another table than before.
    func noteFrozenStrings() {
        guard let loaded = modules.loaded else { return }
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(loaded)
        pushGlobals(on: lua)
        guard (try? lua.get(-1, "string")) != nil else { return }
        lua.rawSet(-3, "string")
    }

    /// Tells a script that its change of `package.path` has no effect; empty when there was none.
    func adviceOnPath(_ lua: Lua) -> String {
        let height = lua.top
        defer { lua.setTop(height) }
        pushGlobals(on: lua)
        guard (try? lua.get(-1, "package")) != nil, lua.type(-1) == .table,
            (try? lua.get(-1, "path")) != nil, let path = lua.string(-1), path != modules.path
        else { return "" }
        return "; 'package.path' was changed, which has no effect"
            + (state.options.advice["package.path"].map { ": \($0)" } ?? "")
    }
}
