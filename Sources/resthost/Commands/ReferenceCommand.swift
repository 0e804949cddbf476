import ArgumentParser
import RestEngine
import RestScript

/// Writes Sources/RestScript/RestScript.docc/LuaReference.md.
struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Print the Lua reference as Markdown.", shouldDisplay: false)

    func run() throws {
        let code = MainThread.wait { @EngineActor in
            Streams.output(ScriptReference.markdown())
            return 0
        }
        throw ExitCode(code)
    }
}
