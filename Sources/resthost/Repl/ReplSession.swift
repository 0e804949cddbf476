import RestEngine
import RestScript

/// One `resthost repl`: the loaded script, and the text that was typed.
@EngineActor
final class ReplSession {
    static var current: ReplSession?

    enum Step: Sendable {
        case incomplete, ended, quit
    }

    private let generations: Generations
    private var console: ScriptConsole
    private var hasExplainedLocals = false

    private init(_ generations: Generations) {
        self.generations = generations
        console = ScriptConsole(generations.current)
    }

    var host: ScriptHost { generations.current }

    /// False when the script can't be loaded. The error has been printed.
    static func begin(_ arguments: ScriptValues) -> Bool {
        do throws(Diagnostic) {
            current = ReplSession(try Generations(arguments, log: LogText(prints: .output)))
            return true
        } catch {
            Streams.error(DiagnosticText().text(error))
            return false
        }
    }

    /// Reloads the script. Resources and their data stay, as in a running host. When the script has an error,
    /// everything stays.
    func reload() {
        switch generations.reload(.user) {
        case .success:
            console = ScriptConsole(host)
            Streams.output("loaded \(host.path) again; variables begin anew\n")
        case .failure(let diagnostic):
            Streams.error(DiagnosticText().text(diagnostic) + "the script is as it was\n")
        }
    }

    var greeting: String {
        let style = Style.standardOutput
        let services = host.services.map { "\(ScriptConsole.variable(for: $0))" }
        return "\(HostVersion.text), \(host.path)\n"
            + style.dim(
                "variables: rest\(services.map { ", " + $0 }.joined())   :help for help, Ctrl-D to leave")
            + "\n"
    }

    func cancel() { console.cancel() }

    /// Returns when the script's caches and stores are written; false when that failed.
    func end() async -> Bool {
        SQLiteFiles.shared.keepCaches()
        await generations.shutDown(within: 5)
        return await host.offloadedWorkIsDone()
    }

    func completions(of text: String) -> [String] {
        guard text.hasPrefix(":") else { return console.completions(of: text) }
        let words = text.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
        if words.count <= 1 { return ReplHelp.names.filter { $0.hasPrefix(words.first ?? "") }.sorted() }
        return host.services.map(\.name).filter { $0.hasPrefix(words.last ?? "") }.sorted()
    }

    /// Runs a command or a piece of Lua, and shows the result.
    ///
    /// - Parameter isLast: True when no more lines can follow.
    func take(_ piece: String, isLast: Bool) async -> Step {
        if piece.hasPrefix(":"), !piece.hasPrefix("::") {
            return ReplHelp.run(String(piece.dropFirst()), in: self)
        }
        let console = console
        let outcome = await withCheckedContinuation { continuation in
            console.evaluate(piece) { continuation.resume(returning: $0) }
        }
        switch outcome {
        case .incomplete:
            guard isLast else { return .incomplete }
            Streams.error("\(ScriptConsole.chunk): error: the input ends in the middle of a statement\n")
        case .done(let values):
            for value in values { Streams.output(value + "\n") }
            explainLocals(piece)
        case .failed(let diagnostic): Streams.error(DiagnosticText().text(diagnostic))
        case .cancelled: Streams.error("cancelled\n")
        }
        return .ended
    }

    private func explainLocals(_ piece: String) {
        guard piece.hasPrefix("local "), !hasExplainedLocals else { return }
        hasExplainedLocals = true
        Streams.error("a local ends with its input: leave 'local' out to keep the variable\n")
    }
}
