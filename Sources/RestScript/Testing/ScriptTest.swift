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

/// What a test file and its scripts log, until somebody asks for it.
@EngineActor
final class TestLog {
    /// More would drown what it is to explain.
    static let limit = 200
    private static let textLimit = 4000

    private var entries: [ScriptLogEntry] = []
    private var dropped = 0

    nonisolated init() {}

    func append(_ entry: ScriptLogEntry) {
        guard entries.count < Self.limit else { return dropped += 1 }
        guard entry.text.utf8.count > Self.textLimit else { return entries.append(entry) }
        if entry.printed != nil {
            return entries.append(
                ScriptLogEntry(printed: Array((entry.text.prefix(Self.textLimit) + "…\n").utf8)))
        }
        entries.append(
            ScriptLogEntry(
                level: entry.level, text: entry.text.prefix(Self.textLimit) + "…", fields: entry.fields,
                place: entry.place))
    }

    /// What came since the last call.
    func take() -> [ScriptLogEntry] {
        defer {
            entries = []
            dropped = 0
        }
        guard dropped > 0 else { return entries }
        return entries + [ScriptLogEntry(level: .warn, text: "\(dropped) more lines are left out")]
    }
}
