import RestEngine
import RestScript

/// The members of a log line's object, for programs that read logs. Each has `level` and `message`.
enum LogJSON {
    static func members(_ entry: ScriptLogEntry) -> [(String, Tree)] {
        var members = head(entry.level, entry.text)
        if let place = entry.place { members.append(("place", Tree(place))) }
        let fields = entry.fields.filter { $0.name != "traceback" }
        if !fields.isEmpty {
            members.append(("fields", Tree(pairs: fields.map { ($0.name, Tree($0.value)) })))
        }
        if let traceback = entry.fields.first(where: { $0.name == "traceback" }) {
            members.append(("traceback", Tree(traceback.value)))
        }
        return members
    }

    static func members(_ category: EngineLog.Category, _ text: String) -> [(String, Tree)] {
        head(category == .warning ? .warn : .info, text) + [("category", Tree(category.rawValue))]
    }

    static func members(_ diagnostic: Diagnostic, _ end: String?) -> [(String, Tree)] {
        var members = head(diagnostic.severity == .error ? .error : .warn, diagnostic.message)
        if let file = diagnostic.file {
            members.append(("place", Tree(diagnostic.line.map { "\(file):\($0)" } ?? file)))
        }
        if let hint = diagnostic.hint { members.append(("hint", Tree(hint))) }
        if let traceback = diagnostic.traceback { members.append(("traceback", Tree(traceback))) }
        if let end { members.append(("outcome", Tree(end))) }
        return members
    }

    private static func head(_ level: ScriptLogEntry.Level, _ message: String) -> [(String, Tree)] {
        [("level", Tree(level.rawValue)), ("message", Tree(message))]
    }
}
