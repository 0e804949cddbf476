import RestEngine
import RestScript

/// The Test Anything Protocol, version 14 (testanything.org), on standard output.
final class TAPReport: TestReport {
    private let write: (String) -> Void
    private var count = 0
    private var file = ""

    init(write: @escaping (String) -> Void = { Streams.output($0) }) {
        self.write = write
        write("TAP version 14\n")
    }

    func begin(_ file: String) { self.file = file }

    func add(_ result: ScriptTestResult) {
        let name = "\(file): \(result.name)"
        switch result.outcome {
        case .passed: point(true, name)
        case .skipped(let reason):
            point(true, name, directive: reason.isEmpty ? " # SKIP" : " # SKIP \(escaped(reason))")
        case .failed(let diagnostic):
            point(false, name)
            block(diagnostic, result.output)
        }
    }

    func add(broken file: String, _ diagnostic: Diagnostic, output: [ScriptLogEntry]) {
        point(false, "\(file) can't be loaded")
        block(diagnostic, output)
    }

    func end(_ totals: TestTotals) { write("1..\(count)\n") }

    private func point(_ isOK: Bool, _ name: String, directive: String = "") {
        count += 1
        write("\(isOK ? "ok" : "not ok") \(count) - \(escaped(name))\(directive)\n")
    }

    /// A number sign in a description would begin a directive.
    private func escaped(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in SingleLine.text(text).unicodeScalars {
            if scalar == "\\" || scalar == "#" { output.append("\\") }
            output.append(scalar)
        }
        return String(output)
    }

    /// The YAML block behind a test point. Strings are in the form of JSON, which YAML accepts.
    private func block(_ diagnostic: Diagnostic, _ output: [ScriptLogEntry]) {
        var text = "  ---\n  message: \(JSONText.string(diagnostic.message))\n  severity: fail\n"
        if let file = diagnostic.file {
            text += "  at:\n    file: \(JSONText.string(file))\n"
            if let line = diagnostic.line { text += "    line: \(line)\n" }
        }
        if let hint = diagnostic.hint { text += "  hint: \(JSONText.string(hint))\n" }
        if let traceback = diagnostic.traceback { text += "  stack: \(JSONText.string(traceback))\n" }
        if !output.isEmpty {
            text += "  output:\n"
            for entry in output {
                let line =
                    entry.printed?.text
                    ?? "\(entry.level.rawValue) \(entry.text)"
                text += "    - \(JSONText.string(line))\n"
            }
        }
        write(text + "  ...\n")
    }
}
