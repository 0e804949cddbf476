import LuaRuntime
public import RestEngine

/// A line of a script's log. Secrets of URLs, the values of what has a secret's name, and those that are
/// known, are masked in it (rule 47.1), and a long one is cut (``LogLength``).
public struct ScriptLogEntry: Sendable {
    public enum Level: String, Sendable, CaseIterable {
        case debug, info, warn, error
    }

    public let level: Level
    public let text: String
    /// What the script gave as fields, in order.
    public let fields: [(name: String, value: String)]
    /// Where it was written, `file:line`.
    public let place: String?
    /// What `print` or `io.write` wrote, to the byte: no line of the log, but the script's output. `text` is
    /// the same as text, without the line break at its end. Nil for all else.
    public let printed: MaskedText?

    public init(
        level: Level, text: String, fields: [(name: String, value: String)] = [], place: String? = nil
    ) {
        self.init(
            level: level, text: LoggedText(text), fields: fields.map { ($0.name, LoggedText($0.value)) },
            place: place)
    }

    /// - Parameter more: fields that were left out.
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

    /// A text that Lua wrote as a warning, most likely with a line break at its end.
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

/// A run that doesn't come back, as the log tells it.
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
                + "can't end it: it hangs in a call of the host. Until then nothing but what is published is answered; "
                + "if it stays so, start resthost again and report what the \(hang.phase) calls")
    }

    /// To the tenth; limits may be shorter.
    private static func text(_ seconds: Double) -> String {
        let unit: Double = seconds < 0.95 ? 1000 : 10
        return "\((seconds * unit).rounded() / unit)"
    }
}
