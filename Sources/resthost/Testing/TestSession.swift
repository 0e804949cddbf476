import RestEngine
import RestScript

/// One `resthost test`: the files in order, each in its own Lua state.
@EngineActor
final class TestSession {
    private let options: (String) throws(Diagnostic) -> ScriptOptions
    private let filter: String?
    private let report: any TestReport
    private let coversLines: Bool
    private let progress = TestProgress()
    private(set) var totals = TestTotals()
    private(set) var coverage = CoverageReport()

    /// - Parameter options: Makes the options for the test file at a path.
    init(
        options: @escaping (String) throws(Diagnostic) -> ScriptOptions, filter: String?,
        report: any TestReport, coversLines: Bool
    ) {
        self.options = options
        self.filter = filter
        self.report = report
        self.coversLines = coversLines
    }

    func run(_ paths: [String]) async {
        let clock = SystemClock()
        let start = clock.uptime
        for path in paths { await run(path) }
        totals.seconds = clock.uptime - start
        progress.clear()
        report.end(totals)
    }

    private func run(_ path: String) async {
        let file: ScriptTestFile
        do throws(Diagnostic) {
            file = ScriptTestFile(path: path, options: try options(path), coversLines: coversLines)
        } catch {
            totals.broken += 1
            progress.clear()
            return report.add(broken: path, error, output: [])
        }
        defer {
            coverage.add(file.lineHits)
            file.close()
        }
        do throws(Diagnostic) { try file.load() } catch {
            totals.broken += 1
            progress.clear()
            return report.add(broken: path, error, output: file.takeOutput())
        }
        let chosen = file.tests.filter { test in filter.map { test.name.contains($0) } ?? true }
        totals.filtered += file.tests.count - chosen.count
        guard !chosen.isEmpty else { return }
        progress.clear()
        report.begin(path)
        for test in chosen {
            progress.show("\(path): \(test.name)", totals)
            let result = await file.run(test)
            switch result.outcome {
            case .passed: totals.passed += 1
            case .failed: totals.failed += 1
            case .skipped: totals.skipped += 1
            }
            progress.clear()
            report.add(result)
        }
    }

    /// 1 when a test or a file failed; 2 when no test ran.
    var exitCode: Int32 {
        if totals.failed > 0 || totals.broken > 0 { return 1 }
        return totals.ran == 0 ? 2 : 0
    }
}

/// A line on the terminal with the running test. It disappears when there is a result.
@EngineActor
final class TestProgress {
    /// Seconds between changes of the line, and before the first one.
    private static let interval = 0.2

    /// Clears the line.
    private static let start = MaskedText("\r\u{1B}[K")

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
        // A line that wraps on the terminal can't be cleared.
        Streams.error(Self.start)
        Streams.error("  \(counts): " + VisibleText.inline(String(what.prefix(50))))
    }

    func clear() {
        guard isWritten else { return }
        isWritten = false
        Streams.error(Self.start)
    }
}
