import LuaRuntime
package import RestEngine

/// A script made of a description of an API, by the bundled Lua modules `resthost.import_…`.
@EngineActor
package struct DocumentImport {
    package struct File: Sendable {
        package let path: String
        package let text: String
        /// It belongs to the user: a file that is there stays.
        package let isOnce: Bool
    }

    package enum Kind: String, Sendable, CaseIterable {
        case openapi, curl, har, postman
    }

    /// The document is not what it should be.
    package struct Fault: Error {
        package let message: String
    }

    package let files: [File]
    package let warnings: [String]
    /// The environment variables that the script reads.
    package let variables: [String]
    /// One sentence for people: how much was imported.
    package let summary: String

    /// The longest document in bytes.
    package nonisolated static let maxBytes = 256 << 20

    /// - Parameters:
    ///   - text: The document.
    ///   - options: Of the module: `output`, `service`, `base_url` and `swift`.
    package init(_ kind: Kind, _ text: [UInt8], options: [(name: String, value: String)], makesSwift: Bool)
        throws
    {
        var settings = ScriptOptions()
        settings.memoryLimit = 2 << 30
        settings.limits[.load] = ScriptLimits.Time(burst: 120)
        let context = ScriptContext(
            engine: Engine(transport: NullTransport()), options: settings, folder: "/nonexistent")
        defer { context.close() }
        let lua = context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        try context.sandbox.pushModule("resthost.importer", on: lua, phase: context.phases.load)
        lua.rawGet(-1, "run")
        lua.push(kind.rawValue)
        lua.push(bytes: text)
        lua.newTable(record: 4)
        for option in options {
            lua.push(option.value)
            lua.rawSet(-2, option.name)
        }
        lua.push(makesSwift)
        lua.rawSet(-2, "swift")
        try lua.call(arguments: 3, results: 2, phase: context.phases.load)
        let result = lua.absolute(-2)
        guard lua.type(result) == .table else {
            throw Fault(message: lua.string(-1) ?? "the import has no result")
        }
        files = try lua.items(result, "files") { place in
            File(
                path: lua.text(place, "path") ?? "", text: lua.text(place, "text") ?? "",
                isOnce: lua.flag(place, "once"))
        }
        warnings = try lua.items(result, "warnings") { lua.string($0) ?? "" }
        variables = try lua.items(result, "variables") { lua.string($0) ?? "" }
        summary = lua.text(result, "summary") ?? ""
    }
}
