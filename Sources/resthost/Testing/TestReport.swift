import RestScript

/// Writes the results of a test run, one by one or at its end.
protocol TestReport: AnyObject {
    /// The next results belong to this file.
    func begin(_ file: String)
    func add(_ result: ScriptTestResult)
    /// The file can't be loaded, so its tests do not run.
    func add(broken file: String, _ diagnostic: Diagnostic, output: [ScriptLogEntry])
    func end(_ totals: TestTotals)
}

/// The counts of a run.
struct TestTotals {
    var passed = 0
    var failed = 0
    var skipped = 0
    /// The number of files that can't be loaded.
    var broken = 0
    /// The number of tests that the filter left out.
    var filtered = 0
    var seconds = 0.0

    var ran: Int { passed + failed }
}

/// The formats of `resthost test`.
enum TestFormat: String, CaseIterable, Sendable {
    case pretty, tap, junit

    func makeReport() -> any TestReport {
        switch self {
        case .pretty: PrettyTestReport()
        case .tap: TAPReport()
        case .junit: JUnitReport()
        }
    }
}

/// Seconds with three decimals.
enum Seconds {
    static func text(_ seconds: Double) -> String {
        let millis = Int((max(0, seconds) * 1000).rounded())
        return "\(millis / 1000).\(String(1000 + millis % 1000).dropFirst())"
    }
}
