import RestEngine
import RestScript

/// A diagnostic as text for people: place, message, source line, advice.
struct DiagnosticText {
    let style: Style
    /// Returns the lines of a file, if it can be read.
    let lines: (String) -> [Substring]?
    /// Colours the message.
    var paint: (String) -> String = { $0 }

    init(style: Style = .standardError, lines: @escaping (String) -> [Substring]? = SourceLines.read) {
        self.style = style
        self.lines = lines
    }

    func text(_ diagnostic: Diagnostic) -> String {
        let label =
            diagnostic.severity == .error ? style.red("error:") : style.yellow("warning:")
        var text = "\(style.bold(place(diagnostic)))\(label) \(paint(message(diagnostic)))\n"
        if let file = diagnostic.file, let number = diagnostic.line, let lines = lines(file),
            lines.indices.contains(number - 1)
        {
            text += excerpt(lines, number)
        }
        text += TracebackText.text(diagnostic.traceback, style)
        if let hint = diagnostic.hint {
            text += "  \(style.bold("hint:")) \(VisibleText.lines(hint, indent: "    "))\n"
        }
        return text
    }

    /// Place and message, on one line.
    func headline(_ diagnostic: Diagnostic) -> String {
        place(diagnostic) + VisibleText.inline(diagnostic.message)
    }

    private func message(_ diagnostic: Diagnostic) -> String {
        VisibleText.lines(diagnostic.message, indent: "  ")
    }

    private func place(_ diagnostic: Diagnostic) -> String {
        guard let file = diagnostic.file.map(VisibleText.inline) else { return "" }
        return diagnostic.line.map { "\(file):\($0): " } ?? "\(file): "
    }

    /// The line and the one before it, with a mark under its first visible character.
    private func excerpt(_ lines: [Substring], _ number: Int) -> String {
        let width = String(number).count
        var text = ""
        for line in max(1, number - 1)...number {
            let label = String(repeating: " ", count: width - String(line).count) + String(line)
            let shown = visible(lines[line - 1])
            text += "  \(style.dim("\(label) |"))\(shown.isEmpty ? "" : " ")\(shown)\n"
        }
        let shown = visible(lines[number - 1])
        let indent = shown.prefix { $0 == " " }.count
        let gutter = String(repeating: " ", count: width + 2)
        text +=
            "  \(style.dim("\(gutter.dropLast())|")) \(String(repeating: " ", count: indent))\(style.red("^"))\n"
        return text
    }

    private func visible(_ line: Substring) -> String {
        let line = line.last == "\r" ? line.dropLast() : line
        return VisibleText.inline(String(line).replacing("\t", with: "    "))
    }
}

/// Lines of source files, without the secrets of calls in them.
enum SourceLines {
    static func read(_ path: String) -> [Substring]? {
        guard let bytes = try? WholeFile.read(path, limit: 16 << 20),
            let text = String(validating: SourceSecrets.masked(bytes), as: UTF8.self)
        else { return nil }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}

/// A traceback as text for people: the calls that led to the line in the message.
enum TracebackText {
    /// One line for each call, innermost first. Empty when there is only the place itself.
    static func text(_ traceback: String?, _ style: Style) -> String {
        // Functions of the host have no place in the script.
        let calls = (traceback ?? "").split(separator: "\n").filter { !$0.hasPrefix("[C]: ") }
        guard calls.count > 1 else { return "" }
        var text = ""
        var rest = calls[...]
        while let call = rest.first {
            // A recursion repeats the same call many times.
            let times = rest.prefix { $0 == call }.count
            rest = rest.dropFirst(times)
            text +=
                style.dim("    at \(VisibleText.inline(String(call)))\(times > 1 ? " (\(times) times)" : "")")
                + "\n"
        }
        return text
    }
}

/// Diagnostics for programs.
enum DiagnosticJSON {
    static func text(_ diagnostics: [Diagnostic]) -> MaskedText {
        MaskedText(
            json: Tree(
                pairs: [
                    ("ok", Tree(!diagnostics.contains { $0.severity == .error })),
                    ("diagnostics", Tree(diagnostics.map(tree))),
                ]
            ))
    }

    /// Missing values are null, so that all findings have the same fields. The traceback is only there if
    /// there is one.
    private static func tree(_ diagnostic: Diagnostic) -> Tree {
        var pairs: [(String, Tree)] = [
            ("severity", Tree(diagnostic.severity.rawValue)), ("code", Tree(diagnostic.code)),
            ("message", Tree(diagnostic.message)), ("file", diagnostic.file.map { Tree($0) } ?? .null),
            ("line", diagnostic.line.map { Tree($0) } ?? .null),
            ("hint", diagnostic.hint.map { Tree($0) } ?? .null),
        ]
        if let traceback = diagnostic.traceback { pairs.append(("traceback", Tree(traceback))) }
        return Tree(pairs: pairs)
    }
}
