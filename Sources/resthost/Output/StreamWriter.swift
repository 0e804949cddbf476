import Dispatch
import Platform
import Synchronization

/// Writes to a stream from its own thread, because a reader that stops, such as a paused terminal, must not
/// block the threads that serve clients. Lines that do not fit are dropped and counted.
final class StreamWriter: Sendable {
    /// Bytes that wait for the reader. See docs/reference/limits.md, L272.
    private static let mostBytes = 4 << 20
    /// Lines that wait, in addition to those that are being written: an empty line takes memory too.
    private static let mostLines = 1 << 16

    private struct Waiting {
        var lines: [[UInt8]] = []
        /// The bytes that wait, including those that are being written.
        var bytes = 0
        /// The lines dropped since the last report.
        var dropped = 0
        /// Signalled when no bytes wait.
        var idle: DispatchSemaphore?
    }

    private let waiting = Mutex(Waiting())
    private let news = DispatchSemaphore(value: 0)
    private let write: @Sendable ([UInt8]) -> Void
    private let report: @Sendable (Int) -> Void
    private let total = Atomic(0)

    /// Nil when the system has no thread for it.
    ///
    /// - Parameters:
    ///   - write: Writes some bytes, and waits while the reader does not read.
    ///   - report: Gets the number of dropped lines, on the writer's thread, after a write succeeds.
    init?(
        name: String, write: @escaping @Sendable ([UInt8]) -> Void,
        report: @escaping @Sendable (Int) -> Void
    ) {
        self.write = write
        self.report = report
        guard NamedThread.start(name: name, { self.run() }) else { return nil }
    }

    /// The number of lines that were dropped so far.
    var dropped: Int { total.load(ordering: .relaxed) }

    /// Adds lines on any thread; it never waits.
    func add(_ bytes: [UInt8]) {
        let isTaken = waiting.withLock { waiting in
            let isShort = waiting.bytes + bytes.count <= Self.mostBytes
            guard waiting.bytes == 0 || isShort && waiting.lines.count < Self.mostLines else {
                waiting.dropped += 1
                return false
            }
            waiting.lines.append(bytes)
            waiting.bytes += bytes.count
            return true
        }
        guard isTaken else {
            total.wrappingAdd(1, ordering: .relaxed)
            return
        }
        news.signal()
    }

    /// Returns when everything is written, or after so many seconds.
    func finish(within seconds: Double) {
        let idle = DispatchSemaphore(value: 0)
        let isIdle = waiting.withLock { waiting in
            waiting.idle = idle
            return waiting.bytes == 0
        }
        if !isIdle { _ = idle.wait(timeout: .now() + seconds) }
    }

    private func run() {
        while true {
            news.wait()
            let lines = waiting.withLock { waiting in
                let lines = waiting.lines
                waiting.lines = []
                return lines
            }
            for line in lines {
                write(line)
                let (dropped, idle) = waiting.withLock { waiting in
                    waiting.bytes -= line.count
                    defer { waiting.dropped = 0 }
                    return (waiting.dropped, waiting.bytes == 0 ? waiting.idle : nil)
                }
                if dropped > 0 { report(dropped) }
                idle?.signal()
            }
        }
    }
}
