import RestEngine

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
            return entries.append(ScriptLogEntry(printed: entry.text.prefix(Self.textLimit) + "…\n"))
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
