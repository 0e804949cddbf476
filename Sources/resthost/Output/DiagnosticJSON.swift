import RestEngine
import RestScript

/// Diagnostics for programs.
enum DiagnosticJSON {
    static func text(_ diagnostics: [Diagnostic]) -> String {
        Tree(
            pairs: [
                ("ok", Tree(!diagnostics.contains { $0.severity == .error })),
                ("diagnostics", Tree(diagnostics.map(tree))),
            ]
        ).description
    }

    private static func tree(_ diagnostic: Diagnostic) -> Tree {
        var pairs: [(String, Tree)] = [
            ("severity", Tree(diagnostic.severity.rawValue)), ("message", Tree(diagnostic.message)),
        ]
        if let file = diagnostic.file { pairs.append(("file", Tree(file))) }
        if let line = diagnostic.line { pairs.append(("line", Tree(line))) }
        if let hint = diagnostic.hint { pairs.append(("hint", Tree(hint))) }
        if let traceback = diagnostic.traceback { pairs.append(("traceback", Tree(traceback))) }
        return Tree(pairs: pairs)
    }
}
