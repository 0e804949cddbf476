import ArgumentParser
import Platform
import RestEngine
import RestScript

/// Lists the plugins that come with the program, shows one, and copies one for changing.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List the plugins that come with the program, or show or copy the source of one.",
        discussion: """
            A script uses a plugin by its name: service:use("api_key", { … }), or require "resthost.api_key". With \
            --copy, the source goes to resthost/NAME.lua in the current folder. A script in that folder then uses the copy, \
            which you may change.

            Examples:
              resthost plugins
              resthost plugins oauth2
              resthost plugins oauth2 --copy
              resthost plugins --json
            """)

    @Argument(help: ArgumentHelp("The plugin.", valueName: "name"), completion: .list(BundledModules.names))
    var name: String?

    @Flag(help: "Write the source to resthost/NAME.lua in the current folder.")
    var copy = false

    @Flag(help: "Print the list as one JSON object in each line.")
    var json = false

    func validate() throws {
        if copy, name == nil { throw ValidationError("--copy needs the name of a plugin") }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in work() }
        throw ExitCode(code)
    }

    @EngineActor
    private func work() -> Int32 {
        guard let name else { return list() }
        guard let source = BundledModules.source("resthost.\(name)") else {
            Streams.error(
                Complaint.text(
                    "there is no plugin '\(name)'\(NearestName.advice(name, among: BundledModules.names))"))
            return 2
        }
        guard copy else {
            Streams.output(content: source)
            return 0
        }
        let path = "resthost/\(name).lua"
        guard !NewFile.exists(path) else {
            Streams.error(Complaint.text("'\(path)' is there already: remove it for a new copy"))
            return 2
        }
        do throws(FileError) { try NewFile.write(String(decoding: source, as: UTF8.self), to: path) } catch {
            Streams.error(Complaint.text(error.description))
            return 2
        }
        Streams.output("\(path)\n")
        return 0
    }

    @EngineActor
    private func list() -> Int32 {
        do {
            let plugins = try PluginDescription.all()
            if json {
                for plugin in plugins {
                    let pairs: [(String, Tree)] = [
                        ("name", Tree(plugin.name)), ("description", Tree(plugin.text)),
                        ("use", Tree(plugin.isUsed)),
                    ]
                    Streams.output(Tree(pairs: pairs).description + "\n")
                }
                return 0
            }
            Streams.output(content: Array(TextColumns.text(plugins.map { [$0.name, $0.text] }).utf8))
            return 0
        } catch {
            Streams.error(Complaint.text("\(error)"))
            return 2
        }
    }
}
