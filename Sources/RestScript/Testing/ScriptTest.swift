import LuaRuntime
import RestEngine

/// One test of a file.
public struct ScriptTest: Sendable {
    /// The name, with the names of the groups that contain it, outermost first.
    public let name: String
    public let file: String
    public let line: Int?
    /// The reason why it is skipped; empty when none was given.
    public let skipReason: String?
    let groups: [TestGroup]
    /// Nil when the test is skipped.
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

/// The result of a test.
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
    /// The duration on the real clock.
    public let seconds: Double
    /// The log and output of the test and its scripts.
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

/// The log of a test file and its scripts, until it is taken.
@EngineActor
final class TestLog {
    /// The most lines. More of them would hide the ones that matter.
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

    /// The entries since the last call.
    func take() -> [ScriptLogEntry] {
        defer {
            entries = []
            dropped = 0
        }
        guard dropped > 0 else { return entries }
        return entries + [ScriptLogEntry(level: .warn, text: "\(dropped) more lines are left out")]
    }
}
