import Dispatch
import Platform
import Synchronization

/// Writes to a stream from a thread of its own. A reader that stops, a terminal that is held for example,
/// must not hold the threads that serve clients. Lines for which there is no room are dropped and counted.
final class StreamWriter: Sendable {
    /// Bytes that wait for the reader. See docs/reference/limits.md, L272.
    private static let mostBytes = 4 << 20

    private struct Waiting {
        var lines: [[UInt8]] = []
        /// Of what is being written as well.
        var bytes = 0
        /// Since the last report.
        var dropped = 0
        /// Signalled when nothing waits.
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
    ///   - write: Writes some bytes, and waits as long as the reader makes it.
    ///   - report: Told how many lines are missing when the stream takes lines again. On the writer's thread.
    init?(
        name: String, write: @escaping @Sendable ([UInt8]) -> Void,
        report: @escaping @Sendable (Int) -> Void
    ) {
        self.write = write
        self.report = report
        guard NamedThread.start(name: name, { self.run() }) else { return nil }
    }

    /// Lines that were dropped so far.
    var dropped: Int { total.load(ordering: .relaxed) }

    /// On any thread; never waits.
    func add(_ bytes: [UInt8]) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.bytes == 0 || waiting.bytes + bytes.count <= Self.mostBytes else {
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
