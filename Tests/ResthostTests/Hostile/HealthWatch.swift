import Platform
import Synchronization
import TestSupport
import Testing

/// Asks a gateway for its health, again and again, on a thread of its own.
final class HealthWatch: Sendable {
    struct Findings: Sendable {
        /// Of each answer, in the order in which they came.
        var seconds: [Double] = []
        var degraded = 0
        /// Answers that were none.
        var wrong: [String] = []

        /// So many of a hundred answers took no longer.
        func percentile(_ part: Int) -> Double {
            let sorted = seconds.sorted()
            return sorted.isEmpty ? .infinity : sorted[min(sorted.count - 1, sorted.count * part / 100)]
        }

        /// A tenth of a second, and what a machine with other work takes longer: its answers when nothing runs tell that.
        var promise: Double { 0.1 + 10 * percentile(10) }
    }

    private let findings = Mutex(Findings())
    private let isStopped = Atomic(false)
    private let ended = Gate()

    init(port: Int) {
        PeerThread.start { [self] in
            while !isStopped.load(ordering: .relaxed) {
                guard ask(port) else { break }
                // Its pace: an answer takes less than a millisecond, and the program needs the processor too.
                poll(nil, 0, 2)
            }
            ended.open()
        }
    }

    func end() async -> Findings {
        isStopped.store(true, ordering: .relaxed)
        await ended.opened()
        return findings.withLock { $0 }
    }

    /// False when nobody is there to answer.
    private func ask(_ port: Int) -> Bool {
        let start = Self.uptime
        let answer: String
        do {
            answer = try LoopbackClient(port: port).exchange(
                "GET /-/health HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        } catch {
            findings.withLock { $0.wrong.append("\(error)") }
            return false
        }
        let seconds = Self.uptime - start
        findings.withLock { findings in
            findings.seconds.append(seconds)
            if answer.contains("degraded") { findings.degraded += 1 }
            if !answer.hasPrefix("HTTP/1.1 200 ") { findings.wrong.append(answer) }
        }
        return true
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
