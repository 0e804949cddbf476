import Platform
import Synchronization
import TestSupport
import Testing

/// Asks a gateway for its health again and again, on its own thread.
final class HealthWatch: Sendable {
    struct Findings: Sendable {
        var answers = 0
        var degraded = 0
        /// Answers that were wrong.
        var wrong: [String] = []
    }

    private let findings = Mutex(Findings())
    private let isStopped = Atomic(false)
    private let ended = Gate()

    init(port: Int) {
        PeerThread.start { [self] in
            while !isStopped.load(ordering: .relaxed) {
                guard ask(port) else { break }
                // This sets the pace: an answer takes less than a millisecond, and the program needs the CPU
                // too.
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

    /// False if the server doesn't answer any more.
    private func ask(_ port: Int) -> Bool {
        let answer: String
        do {
            answer = try LoopbackClient(port: port).exchange(
                "GET /-/health HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        } catch {
            findings.withLock { $0.wrong.append("\(error)") }
            return false
        }
        findings.withLock { findings in
            findings.answers += 1
            if answer.contains("degraded") { findings.degraded += 1 }
            if !answer.hasPrefix("HTTP/1.1 200 ") { findings.wrong.append(answer) }
        }
        return true
    }
}
