import LuaRuntime
import RestEngine

/// One test of a file.
public struct ScriptTest: Sendable {
    /// With the names of the groups that it is in, outermost first.
    public let name: String
    public let file: String
    public let line: Int?
    /// Why it is not run; empty when nobody said why.
    public let skipReason: String?
    let groups: [TestGroup]
    /// Nil for one that is skipped.
    let function: LuaReference?

    static let nameSeparator = " › "
}

/// `t.describe`: tests with functions that run before each of them.
@EngineActor
final class TestGroup {
    let name: String
    var before: [LuaReference] = []

    nonisolated init(_ name: String) { self.name = name }
}

/// How a test ended.
public struct ScriptTestResult: Sendable {
    public enum Outcome: Sendable {
        case passed
        case failed(Diagnostic)
        case skipped(String)
    }

    public let name: String
    public let file: String
    public let line: Int?
    public let outcome: Outcome
    /// Time on the clock of the wall.
    public let seconds: Double
    /// What the test and its scripts logged and printed.
    public let output: [ScriptLogEntry]

    init(
        _ test: ScriptTest, _ outcome: Outcome, seconds: Double = 0, output: [ScriptLogEntry] = []
    ) {
        name = test.name
        file = test.file
        line = test.line
        self.outcome = outcome
        self.seconds = seconds
        self.output = output
    }
}
