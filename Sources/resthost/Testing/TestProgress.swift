import RestEngine

/// A line on the terminal that says what runs now, and goes when there is something to read.
@EngineActor
final class TestProgress {
    /// Seconds between changes of the line, and before the first.
    private static let interval = 0.2

    /// Empties the line.
    private static let start = Array("\r\u{1B}[K".utf8)

    private let isShown = Style.standardError.isColoured
    private let clock = SystemClock()
    private var nextTime: Double
    private var isWritten = false

    init() { nextTime = clock.uptime + Self.interval }

    func show(_ what: String, _ totals: TestTotals) {
        guard isShown, clock.uptime >= nextTime else { return }
        nextTime = clock.uptime + Self.interval
        isWritten = true
        let counts = "\(totals.ran) done, \(totals.failed) failed"
        // A line that the terminal breaks can't be taken back.
        Streams.error(Self.start)
        Streams.error("  \(counts): " + VisibleText.inline(String(what.prefix(50))))
    }

    func clear() {
        guard isWritten else { return }
        isWritten = false
        Streams.error(Self.start)
    }
}
