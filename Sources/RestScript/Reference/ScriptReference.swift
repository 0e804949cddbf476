import LuaRuntime
public import RestEngine

/// The reference of everything in scripts, made from the tables of bindings.
@EngineActor
public enum ScriptReference {
    public static func markdown() -> String {
        withTables { heading + ReferencePage($0, $1).sections.joined() }
    }

    /// The page of the fields of a configuration.
    package static func configuration() -> String {
        withTables { ConfigurationPage($0, $1).text }
    }

    /// The page of the options of `rest.gateway`.
    package static func gatewayOptions() -> String { GatewayOptionsPage.text }

    /// The page of the plugins that come with the program.
    package static func plugins() throws -> String { try PluginsPage.text() }

    /// Definitions for the Lua language server, as files of a folder that its `workspace.library` names.
    public static func types() -> [(path: String, text: String)] {
        withTables { context, tests in
            let definitions = TypeDefinitions(context, tests)
            return [
                ("resthost.lua", definitions.library), ("resthost/test.lua", definitions.testLibrary),
            ] + definitions.plugins.map { ("resthost/\($0.name).lua", $0.text) }
        }
    }

    private static func withTables<Result>(_ body: (ScriptContext, ScriptTestFile) -> Result) -> Result {
        let engine = Engine(transport: NullTransport())
        let context = ScriptContext(engine: engine, options: ScriptOptions(), folder: ".")
        let tests = ScriptTestFile(path: "reference", options: ScriptOptions())
        defer {
            context.close()
            tests.close()
        }
        return body(context, tests)
    }

    private static let heading = """
        # Lua reference

        Every function and field that a script can use, as the program itself knows them. The
        [guides](../README.md) show how to use them.

        This file is written by `resthost reference > docs/reference/lua-api.md`.

        ```lua
        local rest = require "resthost"
        ```

        In signatures, `name?` may be left out, `T[]` is a list, and `A | nil, error` means that a function which waits
        gives A, or nil and the reason.

        """
}
