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
