import Platform
import RestEngine
import Synchronization

/// Shows what a command waits for, in the last line of the terminal, once it has taken a second.
@EngineActor
final class ProgressLine {
    private static let delay = 1.0
    private static let interval = 0.2

    private let scheduler: Scheduler
    private let began: Double
    private let text: @EngineActor () -> String
    private let shown = ShownText()
    private var timer: EngineTimer?

    /// Nil without a terminal that can show it.
    ///
    /// - Parameter text: Says what it waits for, without the time.
    init?(on scheduler: Scheduler, _ text: @escaping @EngineActor () -> String) {
        guard Streams.isErrorTerminal, TerminalLine.isPossible else { return nil }
        self.scheduler = scheduler
        self.text = text
        began = scheduler.uptime
        timer = scheduler.after(Self.delay) { [weak self] in self?.show() }
    }

    private func show() {
        let seconds = Int(scheduler.uptime - began)
        shown.set(Self.line("\(text()), \(seconds) s", columns: Streams.errorColumns))
        TerminalLine.show { [shown] in shown.draw() }
        shown.draw()
        timer = scheduler.after(Self.interval) { [weak self] in self?.show() }
    }

    /// Removes it; nothing else may be written before.
    func end() {
        timer?.cancel()
        timer = nil
        TerminalLine.hide()
        if shown.isDrawn { Streams.draw("", to: STDERR_FILENO) }
    }

    /// How far a transfer is, in the direction that has moved last; nil before its first byte.
    static func bytes(_ progress: TransferProgress) -> String? {
        let isReceiving = progress.bytesReceived > 0
        let count = isReceiving ? progress.bytesReceived : progress.bytesSent
        let total = isReceiving ? progress.bytesToReceive : progress.bytesToSend
        guard count > 0 else { return nil }
        let of = total.map { " of \(ByteCount.text(Int(clamping: $0)))" } ?? ""
        return "\(ByteCount.text(Int(clamping: count)))\(of) \(isReceiving ? "received" : "sent")"
    }

    /// A text that fits into one line: a longer one could not be erased.
    static func line(_ text: String, columns: Int) -> String {
        let text = VisibleText.inline(text)
        return text.count < columns ? text : text.prefix(max(0, columns - 2)) + "…"
    }
}

/// The text of a progress line, for all threads that write.
private final class ShownText: Sendable {
    private let text = Mutex<String?>(nil)

    var isDrawn: Bool { text.withLock { $0 != nil } }

    func set(_ new: String) { text.withLock { $0 = new } }

    func draw() { if let text = text.withLock({ $0 }) { Streams.draw(text, to: STDERR_FILENO) } }
}
