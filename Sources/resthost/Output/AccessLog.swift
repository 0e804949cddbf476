import Dispatch
import Gateway
import Platform
import RestEngine
import RestScript
import Synchronization

/// The log lines of requests that the gateway answered. A queue writes them, because a slow reader of the log
/// must not delay clients. Lines that do not fit are dropped and counted.
final class AccessLog: Sendable {
    private static let mostWaiting = 4096

    private let log: LogText
    /// The log for messages about the access log itself.
    private let hostLog: LogText
    private let file: AccessFile?
    private let queue = DispatchQueue(label: "access log")
    private let waiting = Atomic(0)
    private let lost = Atomic(0)

    /// - Parameters:
    ///   - file: The file that replaces the log.
    ///   - format: The format of its lines.
    init(_ log: LogText, to file: AccessFile? = nil, as format: LogText.Format = .text) {
        hostLog = log
        self.file = file
        var log = log
        if let file {
            log.format = format
            log.style = .plain
            log.isQuiet = false
            log.clock = { ClockReading.timeOfDay }
            log.sink = { [hostLog] text in
                guard let reason = file.add(text) else { return }
                hostLog.write(
                    ScriptLogEntry(
                        level: .error, text: "the access log \(file.path) can't be written: \(reason)"))
            }
        }
        // Clients must not wait for viewers of the log.
        log.tap = nil
        self.log = log
    }

    /// Adds a record. It may be called on any thread.
    func note(_ record: AccessRecord) {
        if waiting.wrappingAdd(1, ordering: .relaxed).newValue > Self.mostWaiting {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            lost.wrappingAdd(1, ordering: .relaxed)
            return
        }
        queue.async { self.write(record) }
    }

    private func write(_ record: AccessRecord) {
        waiting.wrappingSubtract(1, ordering: .relaxed)
        log.write(record)
        let lost = lost.exchange(0, ordering: .relaxed)
        if lost > 0 { log.note("\(lost) requests are missing here: the log is read too slowly") }
    }

    /// Continues in a new file of the same name, after the records so far are written.
    func reopen() {
        queue.async { [self] in
            do throws(FileError) { try file?.reopen() } catch {
                hostLog.write(
                    ScriptLogEntry(level: .error, text: "the access log goes on as it was: \(error)"))
            }
        }
    }

    /// Returns when all records are written.
    func finish() { queue.sync {} }
}

extension LogText {
    func write(_ record: AccessRecord) {
        if isQuiet { return }
        let entry = ScriptLogEntry(
            level: .info, text: "\(record.method) \(Self.target(record)) \(StatusPhrase.line(record.status))",
            fields: [("bytes", "\(record.bytes)"), ("seconds", Self.seconds(record))] + Self.details(record))
        write(text(entry)) { Self.members(record) }
    }

    private static func target(_ record: AccessRecord) -> String {
        record.target.isEmpty ? "-" : SecretMask.standard.url(record.target)
    }

    /// With three digits behind the point.
    private static func seconds(_ record: AccessRecord) -> String {
        let thousandths = Int((record.duration * 1000).rounded())
        let digits = "\(thousandths % 1000)"
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// The fields that not every request has.
    private static func details(_ record: AccessRecord) -> [(String, String)] {
        let fields: [(String, String?)] = [
            ("client", record.client), ("name", record.name), ("outcome", record.outcome),
            ("code", record.code), ("version", record.version),
            ("request_id", record.requestID),
            ("user_agent", record.userAgent.map { SecretMask.standard.line($0) }),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(_ record: AccessRecord) -> [(String, Tree)] {
        let target = target(record)
        var members: [(String, Tree)] = [
            ("level", "info"),
            ("message", Tree("\(record.method) \(target) \(StatusPhrase.line(record.status))")),
            ("method", Tree(record.method)), ("target", Tree(target)), ("status", Tree(record.status)),
            ("bytes", Tree(record.bytes)), ("seconds", Tree((record.duration * 1000).rounded() / 1000)),
        ]
        members += details(record).map { ($0, Tree($1)) }
        return members
    }
}
