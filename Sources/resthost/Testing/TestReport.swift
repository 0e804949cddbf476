import RestScript

/// Writes what a run of tests brings, as it comes or at its end.
protocol TestReport: AnyObject {
    /// The next results are of this file.
    func begin(_ file: String)
    func add(_ result: ScriptTestResult)
    /// The file can't be loaded; none of its tests runs.
    func add(broken file: String, _ diagnostic: Diagnostic, output: [ScriptLogEntry])
    func end(_ totals: TestTotals)
}

/// Counts of a run.
struct TestTotals {
    var passed = 0
    var failed = 0
    var skipped = 0
    /// Files that can't be loaded.
    var broken = 0
    /// Tests that the filter left out.
    var filtered = 0
    var seconds = 0.0

    var ran: Int { passed + failed }
}

/// How `resthost test` writes what came out.
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
