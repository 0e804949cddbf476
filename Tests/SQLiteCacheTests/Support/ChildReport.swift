import Platform
import Testing

/// What the body of an exit test found wrong, on its standard error: of an issue in a child only the fact is
/// told.
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
