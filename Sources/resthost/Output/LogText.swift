import Gateway
import RestScript

/// The log of a script and of the host on standard error.
struct LogText: Sendable {
    var style = Style.standardError
    var isQuiet = false
    /// What the script prints goes to standard output as it is.
    var printsPlainly = false

    func write(_ entry: ScriptLogEntry) {
        // The log's own functions say where they were called.
        if printsPlainly, entry.level == .info, entry.place == nil, entry.fields.isEmpty {
            return Streams.output(entry.text + "\n")
        }
        if isQuiet, entry.level != .error { return }
        Streams.error(text(entry))
    }

    /// The lines of one entry.
    func text(_ entry: ScriptLogEntry) -> String {
        var text = label(entry.level) + " " + entry.text
        for field in entry.fields where field.name != "traceback" { text += " \(field.name)=\(field.value)" }
        if let place = entry.place { text += style.dim("  (\(place))") }
        text += "\n"
        return text + TracebackText.text(entry.fields.first { $0.name == "traceback" }?.value, style)
    }

    /// Of a gateway, on any thread.
    func shortage(_ shortage: GatewayShortage, of place: String) {
        write(ScriptLogEntry(level: .error, text: "\(place): \(shortage)"))
    }

    func note(_ text: String) {
        if !isQuiet { Streams.error(text + "\n") }
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
