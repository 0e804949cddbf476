import LuaRuntime
import Platform

/// One event that a script writes to a stream (HTML Standard 9.2).
struct StreamedEvent {
    var event: String?
    var id: String?
    var data: [UInt8] = []
    var retry: Int?

    static let schema = ScriptSchema<StreamedEvent>([
        .text("event", "The name of the event; `message` by default.") { $0.event = $1 },
        .text("id", "The id, which a client sends as Last-Event-ID when it comes back.") { $0.id = $1 },
        .rawBytes("data", "The text of the event.") { $0.data = $1 },
        .count("retry", from: 0, to: 86_400_000, default: "", "Milliseconds before a client comes back.") {
            $0.retry = $1
        },
    ])

    init(_ options: OptionTable) throws {
        try options.read(Self.schema, into: &self)
        for (name, value) in [("event", event), ("id", id)] {
            guard let value,
                value.utf8.contains(where: { $0 == .newline || $0 == .carriageReturn || $0 == 0 })
            else { continue }
            throw LuaUsageError("'\(name)' of an event is one line")
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ name: String, _ value: some Sequence<UInt8>) {
            bytes += Array("\(name): ".utf8)
            bytes += value
            bytes.append(.newline)
        }
        if let event { add("event", event.utf8) }
        if let id { add("id", id.utf8) }
        if let retry { add("retry", "\(retry)".utf8) }
        // Carriage returns end lines, too.
        let text = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n").replacing(
            "\r", with: "\n")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { add("data", line.utf8) }
        bytes.append(.newline)
        return bytes
    }
}
