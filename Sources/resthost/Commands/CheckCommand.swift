import ArgumentParser
import Platform
import RestEngine
import RestScript

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find mistakes in a script, without sending anything.",
        discussion: """
            Loads the script, goes on after errors in its declarations, reads all modules that it names, and runs \
            configuration blocks for addresses made from their patterns. Jobs don't begin.

            Warnings are for mistakes that a script can load with: patterns that can't match, blocks without effect, \
            credentials that go to every host, stages that do nothing, globals by accident.

            Exits with 2 when there is an error, and with --strict for warnings too.

            Examples:
              resthost check config.lua
              resthost check config.lua --strict && resthost test
              resthost check config.lua --json | jq -r '.diagnostics[].message'
            """)

    @OptionGroup var script: ScriptArguments

    @Flag(help: "Print the findings as JSON.")
    var json = false

    @Flag(help: "Warnings count as errors: the exit code is 2.")
    var strict = false

    func run() throws {
        let code = MainThread.wait { @EngineActor in check() }
        throw ExitCode(code)
    }

    @EngineActor
    private func check() -> Int32 {
        var findings: [Diagnostic]
        var summary = ""
        do throws(Diagnostic) {
            var options = try script.values.options(log: LogText(isQuiet: true))
            options.collectsDiagnostics = true
            options.makeTransport = { _ in NullTransport() }
            options.openStoresInMemory()
            if let workers = try SettingsFile.beside(script.config).workers, workers.number > 1 {
                options.worker = WorkerNumber(number: 1, count: workers.number)
            }
            let host = try ScriptHost(
                path: script.config, engine: HostEngine.make(NullTransport(), log: LogText(isQuiet: true)),
                options: options)
            host.check()
            let all = host.diagnostics + gatewayFindings(host) + script.grants.values.missingFolders
            // Errors come first, because they must be fixed first.
            findings = all.filter { $0.severity == .error } + inOrder(all.filter { $0.severity == .warning })
            let blocks = host.services.reduce(0) {
                $0 + $1.configurationEntries.filter { $0.origin != nil }.count
            }
            summary =
                "\(host.services.count) service\(plural(host.services.count)), \(blocks) block\(plural(blocks))"
            host.close()
        } catch { findings = [error] }
        if json {
            Streams.output(json: DiagnosticJSON.text(findings))
        } else {
            for finding in findings { Streams.error(DiagnosticText().text(finding)) }
            Streams.error("\(script.config): \(self.summary(findings) ?? "no errors; \(summary)")\n")
        }
        let counted = strict ? findings : findings.filter { $0.severity == .error }
        return counted.isEmpty ? 0 : 2
    }

    /// The findings in the order of files and lines, the script's own file first.
    private func inOrder(_ findings: [Diagnostic]) -> [Diagnostic] {
        func key(_ finding: Diagnostic) -> (Int, String, Int) {
            (finding.file == script.config ? 0 : 1, finding.file ?? "", finding.line ?? 0)
        }
        return findings.sorted { key($0) < key($1) }
    }

    /// Nil when there are no findings to count.
    private func summary(_ findings: [Diagnostic]) -> String? {
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        var counts: [String] = []
        if errors > 0 { counts.append("\(errors) error\(plural(errors))") }
        if warnings > 0 { counts.append("\(warnings) warning\(plural(warnings))") }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }

    /// Checks the gateway's configuration. The gateway is not started.
    @EngineActor
    private func gatewayFindings(_ host: ScriptHost) -> [Diagnostic] {
        do throws(Diagnostic) {
            _ = try GatewaySettings.configuration(for: host, listen: [], threads: nil)
            _ = try OperatorSettings.configuration(for: host, listen: [])
            return GatewaySettings.openAddress(of: host).map { [$0] } ?? []
        } catch { return [error] }
    }

    private func plural(_ count: Int) -> String { count == 1 ? "" : "s" }
}
