import RestScript

/// Results for people, on standard output.
final class PrettyTestReport: TestReport {
    private let style: Style
    private let write: (String) -> Void
    private var failures: [String] = []
    private var isFirst = true

    /// Above this number of tests, the names of failed tests are repeated at the end.
    private static let longRun = 30

    init(style: Style = .standardOutput, write: @escaping (String) -> Void = { Streams.output($0) }) {
        self.style = style
        self.write = write
    }

    func begin(_ file: String) {
        write((isFirst ? "" : "\n") + style.bold(file) + "\n")
        isFirst = false
    }

    func add(_ result: ScriptTestResult) {
        let name = SingleLine.text(result.name)
        switch result.outcome {
        case .passed: write("  \(style.green("✓")) \(name)\(time(result.seconds))\n")
        case .skipped(let reason):
            write(
                "  \(style.yellow("-")) \(name)"
                    + style.dim(reason.isEmpty ? " (skipped)" : " (skipped: \(SingleLine.text(reason)))")
                    + "\n")
        case .failed(let diagnostic):
            write("  \(style.red("✗")) \(name)\(time(result.seconds))\n")
            write(details(diagnostic, result.output))
            failures.append("\(result.file)\(result.line.map { ":\($0)" } ?? "") \(name)")
        }
    }

    func add(broken file: String, _ diagnostic: Diagnostic, output: [ScriptLogEntry]) {
        begin(file)
        write("  \(style.red("✗")) the file can't be loaded\n")
        write(details(diagnostic, output))
        failures.append("\(file) can't be loaded")
    }

    func end(_ totals: TestTotals) {
        var text = ""
        if totals.ran > Self.longRun, !failures.isEmpty {
            text += "\n" + style.bold("failed") + "\n" + failures.map { "  \($0)\n" }.joined()
        }
        var counts = ["\(totals.passed) passed"]
        if totals.failed > 0 { counts.append(style.red("\(totals.failed) failed")) }
        if totals.broken > 0 {
            counts.append(style.red("\(totals.broken) file\(totals.broken == 1 ? "" : "s") not loaded"))
        }
        if totals.skipped > 0 { counts.append("\(totals.skipped) skipped") }
        if totals.filtered > 0 { counts.append("\(totals.filtered) left out") }
        text +=
            (isFirst ? "" : "\n") + counts.joined(separator: ", ") + " in \(Seconds.text(totals.seconds)) s\n"
        write(text)
    }

    /// The time of a slow test.
    private func time(_ seconds: Double) -> String {
        seconds < 0.1 ? "" : style.dim(" (\(Seconds.text(seconds)) s)")
    }

    private func details(_ diagnostic: Diagnostic, _ output: [ScriptLogEntry]) -> String {
        var diagnostics = DiagnosticText(style: style)
        diagnostics.paint = coloured
        var text = diagnostics.text(diagnostic)
        if !output.isEmpty {
            text += style.dim("output:") + "\n"
            for entry in output { text += LogText(style: style).text(entry) }
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    }

    /// Expected and actual values get two colours.
    private func coloured(_ message: String) -> String {
        guard style.isColoured else { return message }
        return message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let words = line.drop { $0 == " " }
            if words.hasPrefix("expected: ") { return style.green(String(line)) }
            if words.hasPrefix("actual:   ") { return style.red(String(line)) }
            return String(line)
        }.joined(separator: "\n")
    }
}
