import ArgumentParser
import RestEngine

struct ReplCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repl",
        abstract: "Load a script and try things out in it, line by line.",
        discussion: """
            Expressions show their values, statements run, and lines that are not complete yet go on. Functions that wait \
            may be called: the prompt comes back when they have ended, and Ctrl-C ends the waiting. The script's jobs run \
            meanwhile; its gateway is not served.

            `rest` and the script's services are there as variables. Variables that you assign stay until the end; the \
            script's own globals can be read. :help lists the commands.

            The history is kept in $XDG_STATE_HOME/resthost/history, by default below ~/.local/state.

            Examples:
              resthost repl config.lua
              echo 'github:resource("/users/octocat"):get()' | resthost repl config.lua
            """)

    @OptionGroup var script: ScriptArguments

    func run() throws {
        let arguments = script.values
        guard MainThread.value({ @EngineActor in ReplSession.begin(arguments) }) else { throw ExitCode(2) }
        Interruption.watch { ReplSession.current?.cancel() }
        let lines: any LineSource = EditLine() ?? PlainLines()
        defer {
            lines.close()
            let isKept = MainThread.value { @EngineActor in await ReplSession.current?.end() ?? true }
            if !isKept { Streams.exit(1) }
        }
        if lines.isInteractive {
            Streams.output(MainThread.value { @EngineActor in ReplSession.current?.greeting ?? "" })
        }
        var piece = ""
        while true {
            Interruption.clear()
            guard let line = lines.next(prompt: piece.isEmpty ? "> " : ">> ") else {
                if Interruption.happened {
                    Streams.output("\n")
                    piece = ""
                    continue
                }
                // The end of the input ends the piece.
                if !piece.isEmpty { _ = Self.evaluate(piece, isLast: true) }
                break
            }
            piece += piece.isEmpty ? line : "\n" + line
            guard piece.contains(where: { !$0.isWhitespace }) else {
                piece = ""
                continue
            }
            switch Self.evaluate(piece, isLast: false) {
            case .incomplete: continue
            case .ended: piece = ""
            case .quit: return
            }
        }
        if lines.isInteractive { Streams.output("\n") }
    }

    private static func evaluate(_ piece: String, isLast: Bool) -> ReplSession.Step {
        MainThread.value { @EngineActor in await ReplSession.current?.take(piece, isLast: isLast) ?? .quit }
    }
}
