import LuaRuntime
import Platform
import RestEngine

/// `rest.read_file` and `rest.write_file`.
struct FileBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(functions: fileFunctions) }

    /// The most bytes of a file that one call reads or writes.
    static var maxFileBytes: Int { 64 << 20 }

    private var fileFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "read_file", "(path: string) -> bytes | nil, message",
                """
                The content of a file, relative to the script's folder. `--allow-read` must permit it, by \
                default for files below that folder; 64 MiB at most.
                """
            ) { call in
                let path = try context.grants.readablePath(try call.string(1, "path"))
                return answer(call.lua) { () throws(FileError) in try read(path) }
            },
            ModuleFunction(
                "write_file", "(path: string, bytes: string, options?: { ... }) -> true | nil, message",
                """
                Makes or replaces a file. Readers see the old content or the new, never a part. It must lie \
                where `--allow-write` permits, by default below the script's folder; 64 MiB at most.
                """, options: Self.writeOptions.descriptions
            ) { call in
                let path = try call.string(1, "path")
                let bytes = try call.rawBytes(2, "bytes")
                var mode: Int?
                try call.options(3).read(Self.writeOptions, into: &mode)
                let place = try context.grants.writablePath(path)
                return answer(call.lua) { () throws(FileError) in try write(bytes, place, mode) }
            },
        ]
    }

    private nonisolated static let writeOptions = ScriptSchema<Int?>([
        .text(
            "mode", .name,
            """
            The permissions of the file in octal, such as `"0600"`; default: those of the file that is there, or `"0644"`.
            """
        ) { mode, text in
            guard let bits = Int(text, radix: 8), 0...0o777 ~= bits else {
                throw OptionFault("is octal, such as \"0600\"")
            }
            mode = bits
        }
    ])

    private func answer(_ lua: Lua, _ work: () throws(FileError) -> [UInt8]?) -> CallResult {
        do throws(FileError) {
            if let bytes = try work() { lua.push(bytes: bytes) } else { lua.push(true) }
            return .one
        } catch {
            lua.pushNil()
            lua.push(error.description)
            return .results(2)
        }
    }

    /// The content of a file as a path of the script names it.
    func content(of path: String) throws -> [UInt8] {
        try read(try context.grants.readablePath(path)) ?? []
    }

    /// The opened file must be the permitted one, because a link may have changed in between.
    private func read(_ path: String) throws(FileError) -> [UInt8]? {
        guard let place = ResolvedPath.resolve(path) else {
            throw FileError(path: path, reason: "No such file or directory")
        }
        let file = try OpenFile(place)
        guard context.grants.permissions.refusalToRead(place) == nil, ResolvedPath.resolve(place) == place
        else {
            throw FileError(path: path, reason: "it was moved while it was opened")
        }
        guard file.size <= Self.maxFileBytes else {
            throw FileError(path: path, reason: "it is larger than \(Self.maxFileBytes >> 20) MiB")
        }
        return try file.readAll()
    }

    private func write(
        _ bytes: [UInt8], _ path: String, _ mode: Int?
    ) throws(FileError) -> [UInt8]? {
        guard bytes.count <= Self.maxFileBytes else {
            throw FileError(
                path: path, reason: "the content is larger than \(Self.maxFileBytes >> 20) MiB",
                action: "write")
        }
        guard let place = ResolvedPath.resolve(path) else {
            throw FileError(path: path, reason: "No such file or directory", action: "write")
        }
        try WholeFile.replace(place, with: bytes, mode: mode)
        return nil
    }
}
