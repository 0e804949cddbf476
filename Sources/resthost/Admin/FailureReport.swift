import Gateway
import RestEngine
import RestScript

/// A diagnostic for another process, with the lines of the file as they were when it was made.
struct FailureReport: Sendable {
    struct Line: Sendable, Equatable {
        var number: Int
        var text: String
    }

    var diagnostic: Diagnostic
    /// The line of the diagnostic, after the line before it.
    var excerpt: [Line] = []

    init(_ diagnostic: Diagnostic, lines: (String) -> [Substring]? = SourceLines.read) {
        self.diagnostic = diagnostic
        guard let file = diagnostic.file, let number = diagnostic.line, let lines = lines(file),
            lines.indices.contains(number - 1)
        else { return }
        excerpt = (max(1, number - 1)...number).map { Line(number: $0, text: String(lines[$0 - 1])) }
    }

    // MARK: As JSON

    /// The members of a problem document, beside its message.
    var members: [ControlProblem.Member] {
        var members: [ControlProblem.Member] = []
        if let file = diagnostic.file { members.append(.init("file", Tree(file))) }
        if let line = diagnostic.line { members.append(.init("line", Tree(line))) }
        if let hint = diagnostic.hint { members.append(.init("hint", Tree(hint))) }
        if let traceback = diagnostic.traceback { members.append(.init("traceback", Tree(traceback))) }
        if !excerpt.isEmpty {
            let rows = excerpt.map { Tree(pairs: [("line", Tree($0.number)), ("text", Tree($0.text))]) }
            members.append(.init("excerpt", Tree(rows)))
        }
        return members
    }

    /// Reads the members that ``members`` wrote. Invalid ones are left out.
    init(_ tree: Tree, message: String) {
        diagnostic = Diagnostic(
            .error, message, file: tree["file"]?.string,
            line: tree["line"]?.int.flatMap { Int(exactly: $0) }, traceback: tree["traceback"]?.string,
            hint: tree["hint"]?.string)
        excerpt =
            tree["excerpt"]?.elements.compactMap { row in
                guard let number = row["line"]?.int, let text = row["text"]?.string else { return nil }
                return Line(number: Int(number), text: text)
            } ?? []
    }

    // MARK: As text

    func text(_ style: Style) -> String {
        // These are the only lines of the file that are known.
        let known = Dictionary(excerpt.map { ($0.number, $0.text) }) { first, _ in first }
        let last = excerpt.map(\.number).max() ?? 0
        return DiagnosticText(style: style) { _ in
            guard 1...1_000_000 ~= last else { return nil }
            return (1...last).map { Substring(known[$0] ?? "") }
        }.text(diagnostic)
    }
}
