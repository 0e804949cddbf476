import Platform
import Synchronization
import TestSupport
import Testing

/// A program that a test runs, in its own process group, with its output as it comes. If a test waits for it
/// in vain, it is killed.
final class ChildProcess: Sendable {
    struct Outcome: Sendable {
        /// The exit code; for a program that a signal ended, 128 and the signal's number.
        var code: Int32
        var output: String
        var errors: String
    }

    private struct Contents {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var code: Int32?
        var waiting: [Wait] = []
    }

    private struct Wait {
        let holds: @Sendable (Contents) -> Bool
        let notified: @Sendable (Bool) -> Void
    }

    /// Seconds after which a program that a failed test left behind is killed.
    private static let longestLife = 300.0
    private let contents = Mutex(Contents())
    private let arguments: [String]
    let id: pid_t

    /// - Parameter environment: Variables that are added to the test's own.
    init(
        _ arguments: [String], in folder: String, environment: [String: String] = [:],
        descriptors: (soft: Int, hard: Int)? = nil
    ) {
        self.arguments = arguments
        let started = Spawning.start(
            arguments, in: folder, environment: environment, descriptors: descriptors)
        id = started.id
        PeerThread.start { [self] in follow(started.output, started.errors) }
    }

    /// Sends a signal to the whole group, as a terminal does. No effect after the end.
    func signal(_ number: Int32) {
        contents.withLock { contents in
            if contents.code == nil { kill(-id, number) }
        }
    }

    /// Waits until standard output has `text`, or the program has ended. False in the second case.
    func hasWritten(_ text: String, at location: SourceLocation = #_sourceLocation) async -> Bool {
        await wait(for: "'\(text)' in the output", at: location) {
            $0.code != nil || String(decoding: $0.output, as: UTF8.self).contains(text)
        }
        return contents.withLock { String(decoding: $0.output, as: UTF8.self).contains(text) }
    }

    /// Does the same for standard error, which may need the text several times.
    func hasReported(
        _ text: String, times: Int = 1, at location: SourceLocation = #_sourceLocation
    ) async -> Bool {
        await wait(for: "'\(text)' in the errors, \(times) times", at: location) {
            $0.code != nil || Self.count(text, in: $0.errors) >= times
        }
        return contents.withLock { Self.count(text, in: $0.errors) >= times }
    }

    private static func count(_ text: String, in bytes: [UInt8]) -> Int {
        String(decoding: bytes, as: UTF8.self).ranges(of: text).count
    }

    /// The bytes of standard output and standard error so far.
    var output: String { contents.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var errors: String { contents.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    func end(at location: SourceLocation = #_sourceLocation) async -> Outcome {
        await wait(for: "the end", at: location) { $0.code != nil }
        return contents.withLock {
            Outcome(
                code: $0.code ?? -1, output: String(decoding: $0.output, as: UTF8.self),
                errors: String(decoding: $0.errors, as: UTF8.self))
        }
    }

    private func wait(
        for what: String, at location: SourceLocation, until holds: @escaping @Sendable (Contents) -> Bool
    ) async {
        let command = arguments.joined(separator: " ")
        let isDone: Bool? = await waiting(for: "\(what) of `\(command)`", at: location) { notified in
            let isDone = contents.withLock { contents in
                if holds(contents) { return true }
                contents.waiting.append(Wait(holds: holds, notified: notified))
                return false
            }
            if isDone { notified(true) }
        }
        if isDone == nil { stop("the test waited in vain for \(what)") }
    }

    private func stop(_ reason: String) {
        signal(SIGKILL)
        update { $0.errors += Array("(killed by the test: \(reason))\n".utf8) }
    }

    private func update(_ change: (inout Contents) -> Void) {
        let done = contents.withLock { contents in
            change(&contents)
            var (done, left): ([Wait], [Wait]) = ([], [])
            for wait in contents.waiting {
                if wait.holds(contents) { done.append(wait) } else { left.append(wait) }
            }
            contents.waiting = left
            return done
        }
        for wait in done { wait.notified(true) }
    }

    /// Reads until no process holds the other ends, so that processes which the program started count too.
    private func follow(_ output: Int32, _ errors: Int32) {
        let start = ClockReading.uptime
        var isKilled = false
        var open = [output, errors]
        while !open.isEmpty {
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), 1000)
            if !isKilled, ClockReading.uptime - start > Self.longestLife {
                isKilled = true
                stop("it ran for \(Self.longestLife) seconds")
            }
            for entry in polled where entry.revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 16 << 10)
                let count = read(entry.fd, &buffer, buffer.count)
                if count <= 0 {
                    open.removeAll { $0 == entry.fd }
                    close(entry.fd)
                } else {
                    update { contents in
                        if entry.fd == output {
                            contents.output += buffer[..<count]
                        } else {
                            contents.errors += buffer[..<count]
                        }
                    }
                }
            }
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        let number = status & 0x7F
        update { $0.code = number == 0 ? (status >> 8) & 0xFF : 128 + number }
    }
}
