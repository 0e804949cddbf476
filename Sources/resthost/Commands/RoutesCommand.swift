import ArgumentParser
import Gateway
import RestEngine
import RestScript

struct RoutesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the paths that the gateway of a script answers.",
        discussion: """
            Loads the script and sends nothing. The first path that matches a request and its method counts: the host's \
            own, then the routes of the script, then services. Of two routes a text goes before {name}, that before \
            {name*}, and that before **.

            Examples:
              resthost routes config.lua
              resthost routes config.lua --json | jq -r '.[].path'
            """)

    @OptionGroup var script: ScriptArguments

    @Flag(help: "Print the paths as JSON.")
    var json = false

    func run() throws {
        let code = MainThread.wait { @EngineActor in list() }
        throw ExitCode(code)
    }

    @EngineActor
    private func list() -> Int32 {
        guard let host = HostEngine.load(script.values, log: LogText(), startsWork: false) else { return 2 }
        defer { host.close() }
        do {
            _ = try GatewaySettings.configuration(for: host, listen: [], threads: nil)
            let paths = try ServedPaths(host)
            if json { Streams.output(json: MaskedText(json: paths.tree)) } else { Streams.output(paths.text) }
            return 0
        } catch let diagnostic as Diagnostic {
            Streams.error(DiagnosticText().text(diagnostic))
        } catch { Streams.error(Complaint.text("\(error)")) }
        return 2
    }
}
