import ArgumentParser
import RestEngine
import RestScript

/// Writes the pages of the reference that are made from what the program declares.
struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Print a page of the reference as Markdown.",
        discussion: """
            Examples:
              resthost reference > docs/reference/lua-api.md
              resthost reference gateway-options > docs/reference/gateway-options.md
            """, shouldDisplay: false)

    @Argument(help: ArgumentHelp("The page.", valueName: "page"))
    var page = ReferencePageName.luaAPI

    func run() throws {
        let code = MainThread.wait { @EngineActor in
            do { Streams.output(content: Array(try page.text().utf8)) } catch {
                Streams.error(Complaint.text("\(error)"))
                return 2
            }
            return 0
        }
        throw ExitCode(code)
    }
}

/// A page of the reference, by the name of its file.
enum ReferencePageName: String, CaseIterable, ExpressibleByArgument {
    case luaAPI = "lua-api"
    case configuration
    case gatewayOptions = "gateway-options"
    case commandLine = "command-line"
    case settings = "resthost-toml"
    case plugins

    @EngineActor func text() throws -> String {
        switch self {
        case .luaAPI: ScriptReference.markdown()
        case .configuration: ScriptReference.configuration()
        case .gatewayOptions: ScriptReference.gatewayOptions()
        case .commandLine: CommandLinePage.markdown()
        case .settings: SettingsPage.text
        case .plugins: try ScriptReference.plugins()
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .luaAPI: "Every function and field that a script can use."
        case .configuration: "Every field of a configuration block."
        case .gatewayOptions: "Every option of rest.gateway."
        case .commandLine: "Every command and option of the program."
        case .settings: "Every key of resthost.toml."
        case .plugins: "Every plugin that comes with the program."
        }
    }
}

struct TypesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Write definitions of the Lua API, for editors with the Lua language server.",
        discussion: """
            Editors that use LuaLS then complete names, show documentation, and find wrong arguments. With a folder, \
            writes resthost.lua and resthost/test.lua into it; without, prints the first. Name the folder in the \
            project's .luarc.json: { "workspace.library": [".resthost/types"] }. resthost init does all of that.

            Examples:
              resthost types .resthost/types
              resthost types | grep -A3 '^function service:configure('
            """)

    @Argument(help: ArgumentHelp("Where to write the files.", valueName: "folder"), completion: .directory)
    var folder: String?

    func validate() throws {
        if folder?.isEmpty == true { throw ValidationError("the folder has no name; . is the current one") }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in write(ScriptReference.types()) }
        throw ExitCode(code)
    }

    private func write(_ files: [(path: String, text: String)]) -> Int32 {
        guard let folder else {
            Streams.output(content: Array((files.first?.text ?? "").utf8))
            return 0
        }
        do throws(FileError) {
            for file in files { try NewFile.write(file.text, to: "\(folder)/\(file.path)") }
        } catch {
            Streams.error(Complaint.text(error.description))
            return 2
        }
        for file in files { Streams.output("\(folder)/\(file.path)\n") }
        return 0
    }
}
