import Platform
import Testing

/// Writes the errors of an exit test's body to standard error, because of a child's issue only the fact is
/// reported.
enum ChildReport {
    static func expect(_ isRight: Bool, _ sentence: @autoclosure () -> String) {
        guard !isRight else { return }
        let line = Array("\(sentence())\n".utf8)
        _ = write(2, line, line.count)
    }
}

extension ExitTest.Result {
    var report: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
