import TestSupport
import Testing

/// Types the commands of a transcript into one shell, in a folder with a copy of the examples.
struct TranscriptSession {
    private let steps: [Transcript.Step]
    /// The ports in the document, and the free ports that are used here.
    private let ports: [(shown: String, used: String)]
    private let folder = TemporaryFolder()

    init(_ transcript: Transcript) {
        steps = transcript.steps
        let shown = ["127.0.0.1:8080", "127.0.0.1:8081"]
        ports = zip(shown, LoopbackPeer.unusedPorts(shown.count)).map { ($0, "127.0.0.1:\($1)") }
    }

    /// The output of each step, both streams together.
    func run() async -> [[String]] {
        let outcome = await ChildProcess(["/bin/sh", "-c", script], in: folder.path).end()
        var text = outcome.output
        for port in ports { text = text.replacing(port.used, with: port.shown) }
        return text.split(separator: "\n@@\n", omittingEmptySubsequences: false).dropFirst().map { part in
            part.split(whereSeparator: \.isNewline).map(String.init)
        }
    }

    private var script: String {
        var script = """
            PATH="\(BuiltProgram.folder):$PATH"
            jobs=
            trap 'kill $jobs; wait; rm -rf examples broken.lua; exit' EXIT
            mkdir examples && cp -R "\(BuiltProgram.repository)/examples/quickstart" examples/

            """
        for port in ports {
            script += "sed -i.old 's/\(port.shown)/\(port.used)/' examples/quickstart/*.lua\n"
        }
        for (number, step) in steps.enumerated() {
            var command = step.command
            for port in ports { command = command.replacing(port.shown, with: port.used) }
            script += "printf '\\n@@\\n'\n"
            guard step.isBackground else {
                script += "{ \(command)\n} 2>&1\n"
                continue
            }
            script += """
                \(command.dropLast(2)) >\(number).out 2>/dev/null &
                jobs="$jobs $!"
                until [ -s \(number).out ] || ! kill -0 $!; do sleep 0.02; done
                cat \(number).out; rm \(number).out

                """
        }
        return script
    }
}
