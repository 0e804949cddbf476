import ArgumentParser
import RestEngine
import RestScript

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what is wrong with a script, without sending anything.",
        discussion: """
            Loads the script, goes on after errors in its declarations, and runs each configuration block once \
            for an address made from its pattern.

            Examples:
              resthost check config.lua
              resthost check config.lua --json
            """)

    @OptionGroup var script: ScriptArguments

    @Flag(help: "Print the findings as JSON.")
    var json = false

    func run() throws {
        let code = MainThread.wait { @EngineActor in check() }
        throw ExitCode(code)
    }

    @EngineActor
    private func check() -> Int32 {
        var findings: [Diagnostic]
        var summary = ""
        do throws(Diagnostic) {
            var options = try script.options(log: LogText(isQuiet: true))
            options.collectsDiagnostics = true
            options.makeTransport = { _ in NullTransport() }
            let host = try ScriptHost(
                path: script.config, engine: HostEngine.make(NullTransport()), options: options)
            host.tryBlocks()
            findings = host.diagnostics + gatewayFindings(host)
            let blocks = host.services.reduce(0) {
                $0 + $1.configurationEntries.filter { $0.origin != nil }.count
            }
            summary =
                "\(host.services.count) service\(plural(host.services.count)), \(blocks) block\(plural(blocks))"
            host.close()
        } catch { findings = [error] }
        if json {
            Streams.output(DiagnosticJSON.text(findings) + "\n")
        } else {
            for finding in findings { Streams.error(DiagnosticText().text(finding)) }
            let errors = findings.filter { $0.severity == .error }.count
            Streams.error(
                errors == 0
                    ? "\(script.config): no errors; \(summary)\n"
                    : "\(script.config): \(errors) error\(plural(errors))\n")
        }
        return findings.contains { $0.severity == .error } ? 2 : 0
    }

    /// The gateway is made and not started.
    @EngineActor
    private func gatewayFindings(_ host: ScriptHost) -> [Diagnostic] {
        do throws(Diagnostic) {
            _ = try GatewaySettings.configuration(for: host, listen: [], threads: nil)
            return []
        } catch { return [error] }
    }

    private func plural(_ count: Int) -> String { count == 1 ? "" : "s" }
}
