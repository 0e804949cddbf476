import Gateway
import Platform
import RestEngine
import RestScript

/// Writes the logs of the script, the engine and the host to standard error, and the output of the script.
struct LogText: Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// The destination of `print` and `io.write`.
    enum PrintTarget: Sendable {
        case output, errors
    }

    var style = Style.standardError
    var isQuiet = false
    /// In commands with content, standard output is for the content.
    var prints = PrintTarget.errors
    /// Returns Unix seconds; nil for lines without a time.
    var clock: (@Sendable () -> Double)?
    var format = Format.text
    /// Replaces standard error.
    var sink: (@Sendable (MaskedText) -> Void)?
    /// The number of the worker that writes; nil in a host of one process.
    var worker: Int?
    /// Also gets the written lines, for viewers elsewhere.
    var tap: HostLog?
    /// Gets failures of functions of the script.
    var failures: HostLog?

    /// The indentation of further lines: the width of a label and a space.
    private static let indent = "      "

    func write(_ entry: ScriptLogEntry) {
        if let printed = entry.printed { return write(printed: printed) }
        if entry.isFailure { failures?.note(LogJSON.failure(entry, at: now)) }
        if isQuiet, entry.level != .error { return }
        write(text(entry)) { LogJSON.members(entry) }
    }

    /// Writes lines of the engine's log, each with its category.
    func write(_ category: EngineLog.Category, _ text: String) {
        var length = LogLength()
        let text = length.shown(text)
        write(EngineLogText.text(category, text, prefix: time)) { LogJSON.members(category, text) }
    }

    /// Writes a message about the host.
    func note(_ text: String) {
        if isQuiet { return }
        let entry = ScriptLogEntry(level: .info, text: text)
        write(clock == nil ? VisibleText.lines(entry.text, indent: "  ") + "\n" : self.text(entry)) {
            LogJSON.members(entry)
        }
    }

    /// - Parameter end: A last line of the host's, after the diagnostic.
    func write(_ diagnostic: Diagnostic, end: String? = nil) {
        var length = LogLength()
        var diagnostic = diagnostic
        diagnostic.message = length.shown(diagnostic.message)
        diagnostic.hint = diagnostic.hint.map { length.shown($0) }
        diagnostic.traceback = diagnostic.traceback.map { length.shown($0) }
        let text = time + DiagnosticText(style: style).text(diagnostic) + (end.map { "  \($0)\n" } ?? "")
        write(text) { LogJSON.members(diagnostic, end) }
    }

    /// The lines of an entry.
    func text(_ entry: ScriptLogEntry) -> String {
        if let printed = entry.printed {
            let text = printed.escaped(VisibleText.content).text
            return text + (text.hasSuffix("\n") ? "" : "\n")
        }
        var text = time + label(entry.level) + " " + VisibleText.lines(entry.text, indent: Self.indent)
        for field in entry.fields where field.name != "traceback" {
            text += " \(VisibleText.inline(field.name))=\(Self.value(field.value))"
        }
        if let place = entry.place { text += style.dim("  (\(VisibleText.inline(place)))") }
        text += "\n"
        return text + TracebackText.text(entry.fields.first { $0.name == "traceback" }?.value, style)
    }

    /// Reports a shortage of a gateway. It may be called on any thread.
    func shortage(_ shortage: GatewayShortage, of place: String) {
        write(ScriptLogEntry(level: .error, text: "\(place): \(shortage)"))
    }

    /// Reports a failure that clients of the gateway got.
    func failure(_ failure: GatewayFailure) {
        write(
            ScriptLogEntry(
                level: .error, text: failure.text,
                fields: (failure.requestID.map { [("request_id", $0)] } ?? [])
                    + (failure.traceback.map { [("traceback", $0)] } ?? []), place: failure.place))
    }

    /// A value with spaces is quoted, because it could look like several fields.
    private static func value(_ value: String) -> String {
        let shown = VisibleText.inline(value)
        let isOneWord = !shown.isEmpty && !shown.utf8.contains { $0 <= 0x20 } && !shown.hasPrefix("\"")
        if isOneWord || shown.hasPrefix("{") || shown.hasPrefix("[") { return shown }
        var quoted = [UInt8(ascii: "\"")]
        for byte in shown.utf8 {
            if byte == UInt8(ascii: "\"") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return String(decoding: quoted, as: UTF8.self) + "\""
    }

    private var now: Double { (clock ?? { ClockReading.timeOfDay })() }

    private var time: String {
        guard format == .text, let clock else { return "" }
        let time = style.dim(InternetTime.text(clock(), withMilliseconds: true) ?? "-") + " "
        return worker.map { time + style.dim("[\($0)]") + " " } ?? time
    }

    private func write(printed: MaskedText) {
        switch prints {
        case .output: Streams.output(printed: printed)
        // It is written beside the log, so it must not look like a log line.
        case .errors: Streams.error(printed.escaped(VisibleText.content))
        }
    }

    func write(_ text: @autoclosure () -> String, json members: () -> [(String, Tree)]) {
        guard format == .json || tap != nil else { return put(text()) }
        let stamp = ("time", Tree(InternetTime.text(now, withMilliseconds: true) ?? "-"))
        let members = members()
        let entry = MaskedText(json: Tree(pairs: [stamp] + members))
        tap?.note(entry)
        guard format == .json else { return put(text()) }
        // Followers of the log get the number with each event.
        let number = worker.map { [("worker", Tree($0))] } ?? []
        put(
            Streams.line(
                json: number.isEmpty ? entry : MaskedText(json: Tree(pairs: [stamp] + number + members))))
    }

    private func put(_ text: String) { put(Streams.visible(text)) }

    private func put(_ text: MaskedText) {
        if let sink { sink(text) } else { Streams.error(text) }
    }

    private func label(_ level: ScriptLogEntry.Level) -> String {
        switch level {
        case .debug: style.dim("debug")
        case .info: "info "
        case .warn: style.yellow("warn ")
        case .error: style.red("error")
        }
    }
}

/// A text of the engine's log: the category in a column before each line (rule 26.3).
enum EngineLogText {
    private static let width = EngineLog.Category.allCases.map(\.rawValue.count).max() ?? 0

    static func text(_ category: EngineLog.Category, _ text: String, prefix time: String = "") -> String {
        let name = category.rawValue
        let prefix = time + name + String(repeating: " ", count: width - name.count) + " │ "
        return text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { prefix + VisibleText.inline(String(Substring($0))) + "\n" }.joined()
    }
}

/// The members of a log line as JSON, for programs. Each line has `level` and `message`.
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

    /// A failure of a function that nothing waited for, as an event.
    static func failure(_ entry: ScriptLogEntry, at time: Double) -> MaskedText {
        var members: [(String, Tree)] = [
            ("kind", "failure"), ("time", Tree(time)), ("source", "script"), ("code", "script_error"),
            ("message", Tree(entry.text)),
        ]
        if let place = entry.place { members.append(("place", Tree(place))) }
        if let traceback = entry.fields.first(where: { $0.name == "traceback" }) {
            members.append(("traceback", Tree(traceback.value)))
        }
        return MaskedText(json: Tree(pairs: members))
    }

    private static func head(_ level: ScriptLogEntry.Level, _ message: String) -> [(String, Tree)] {
        [("level", Tree(level.rawValue)), ("message", Tree(message))]
    }
}
