/// What a script does instead of calling a function, or requiring a module, that it doesn't get; see
/// `LuaOptions.advice`.
enum LibraryAdvice {
    static let texts: [String: String] = {
        var texts = [
            "io.popen": "scripts start no programs",
            "os.execute": "scripts start no programs",
            "os.exit": "the host ends by itself when nothing is left to do; raise an error to fail",
            "dofile": "require a module, from the script's folder or one of --lua-path",
            "loadfile": "require a module, from the script's folder or one of --lua-path",
            "string.dump": "bytecode is neither made nor loaded",
            "package.path": "name the folder with --lua-path",
            "package.loadlib": "C modules are not loaded",
            "package.searchpath": "require finds modules",
            "lfs": "rest.read_file reads a file whose name is known",
        ]
        let files =
            "rest.read_file and rest.write_file do it for whole files, with --allow-read and --allow-write"
        for name in ["open", "lines", "input", "output", "read", "tmpfile"] { texts["io.\(name)"] = files }
        for name in ["remove", "rename", "tmpname"] { texts["os.\(name)"] = files }
        for name in ["cjson", "rapidjson"] { texts[name] = "rest.json encodes and decodes" }
        for name in ["socket", "ssl", "cqueues", "luv"] { texts[name] = "rest.service makes requests" }
        for name in ["lsqlite3", "luasql"] { texts[name] = "rest.cache.sqlite and rest.store keep values" }
        return texts
    }()
}
