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

    /// What has no value is null, so that every finding has the same fields; a traceback is there if there is one.
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
