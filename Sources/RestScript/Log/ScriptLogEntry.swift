import LuaRuntime
package import RestEngine

/// A line of a script's log. Secrets in URLs, values with the name of a secret, and known secrets are masked
/// in it (rule 47.1). A long line is cut (``LogLength``).
public struct ScriptLogEntry: Sendable {
    public enum Level: String, Sendable, CaseIterable {
        case debug, info, warn, error
    }

    public let level: Level
    public let text: String
    /// The fields that the script gave, in order.
    public private(set) var fields: [(name: String, value: String)]
    /// The place of the call, `file:line`.
    public let place: String?
    /// The exact output of `print` or `io.write`. It is output of the script and not a log line. `text` has
    /// the same text without the last line break. Nil for log lines.
    package let printed: MaskedText?
    /// A function of the script that nothing waited for has failed.
    public private(set) var isFailure = false

    public init(
        level: Level, text: String, fields: [(name: String, value: String)] = [], place: String? = nil
    ) {
        self.init(
            level: level, text: LoggedText(text), fields: fields.map { ($0.name, LoggedText($0.value)) },
            place: place)
    }

    /// A function of the script has failed.
    static func failure(
        _ text: String, fields: [(name: String, value: String)], place: String?
    ) -> ScriptLogEntry {
        var entry = ScriptLogEntry(level: .error, text: text, fields: fields, place: place)
        entry.isFailure = true
        return entry
    }

    /// - Parameter more: The number of fields that were left out.
    init(
        level: Level, text: LoggedText, fields: [(name: String, value: LoggedText)], more: Int = 0,
        place: String?
    ) {
        var length = LogLength()
        self.level = level
        self.text = length.shown(text)
        self.fields = length.shown(fields, more: more)
        self.place = place
        printed = nil
    }

    /// The same line, with the ID of the client's request for which the script runs (rule 74.3).
    func serving(_ id: String?) -> ScriptLogEntry {
        guard let id, printed == nil, !fields.contains(where: { $0.name == Self.requestID }) else {
            return self
        }
        var entry = self
        entry.fields.append((Self.requestID, SecretMask.standard.line(id)))
        return entry
    }

    private static let requestID = "request_id"

    /// A warning of Lua, which usually ends with a line break.
    init(warning text: String) {
        self.init(level: .warn, text: text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    public init(printed bytes: [UInt8]) {
        let shown = MaskedText(output: bytes)
        level = .info
        text = shown.text.hasSuffix("\n") ? String(shown.text.dropLast()) : shown.text
        fields = []
        place = nil
        printed = shown
    }
}

/// The log entry for a run that does not return.
enum HangText {
    static func entry(_ hang: LuaHang) -> ScriptLogEntry {
        let seconds = text(hang.seconds)
        if hang.isOver {
            return ScriptLogEntry(level: .warn, text: "\(hang.phase): it came back after \(seconds) s")
        }
        return ScriptLogEntry(
            level: .error,
            text:
                "\(hang.phase): for \(seconds) s now it has not come back, and its limit of \(text(hang.limit)) s "
                + "can't end it: it hangs in a call of the host. Until it returns, only fresh answers in memory are served; "
                + "if it stays so, start resthost again and report what the \(hang.phase) calls")
    }

    /// Rounds to tenths of a second, or of a millisecond for short limits.
    private static func text(_ seconds: Double) -> String {
        let unit: Double = seconds < 0.95 ? 1000 : 10
        return "\((seconds * unit).rounded() / unit)"
    }
}
