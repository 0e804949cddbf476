import RestEngine
import RestScript

/// One `resthost repl`: the script that is loaded, and what was typed into it.
@EngineActor
final class ReplSession {
    static var current: ReplSession?

    enum Step: Sendable {
        case incomplete, ended, quit
    }

    private let arguments: ScriptArguments
    private(set) var host: ScriptHost
    private var console: ScriptConsole
    private var hasToldOfLocals = false

    private init(_ arguments: ScriptArguments, _ host: ScriptHost) {
        self.arguments = arguments
        self.host = host
        console = ScriptConsole(host)
    }

    /// False when the script can't be loaded, which has been told.
    static func begin(_ arguments: ScriptArguments) -> Bool {
        guard let host = load(arguments) else { return false }
        current = ReplSession(arguments, host)
        return true
    }

    private static func load(_ arguments: ScriptArguments) -> ScriptHost? {
        HostEngine.load(arguments, log: LogText(printsPlainly: true))
    }

    /// A new world in place of the old one; that stays when the script can't be loaded.
    func reload() {
        guard let new = Self.load(arguments) else {
            Streams.error("the script is as it was\n")
            return
        }
        host.close()
        host = new
        console = ScriptConsole(new)
        Streams.output("loaded \(host.path) again; variables begin anew\n")
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

    /// Returns when what the script's caches have to write is written.
    func end() async {
        host.close()
        await host.outsideWorkIsDone()
    }

    func completions(of text: String) -> [String] {
        guard text.hasPrefix(":") else { return console.completions(of: text) }
        let words = text.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
        if words.count <= 1 { return ReplHelp.names.filter { $0.hasPrefix(words.first ?? "") }.sorted() }
        return host.services.map(\.name).filter { $0.hasPrefix(words.last ?? "") }.sorted()
    }

    /// Takes a command or a piece of Lua, and shows what comes of it.
    ///
    /// - Parameter isLast: Nothing can be added to it.
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
            tellOfLocals(piece)
        case .failed(let diagnostic): Streams.error(DiagnosticText().text(diagnostic))
        case .cancelled: Streams.error("cancelled\n")
        }
        return .ended
    }

    private func tellOfLocals(_ piece: String) {
        guard piece.hasPrefix("local "), !hasToldOfLocals else { return }
        hasToldOfLocals = true
        Streams.error("a local ends with its input: leave 'local' out to keep the variable\n")
    }
}
