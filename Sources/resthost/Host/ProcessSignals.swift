import Platform
import Synchronization

/// The signals of the process, one after the other. The handler writes the signal's number to a pipe, which
/// works on any thread.
struct ProcessSignals {
    private static let writeEnd = Atomic<Int32>(-1)

    /// The signals that end the process.
    static let terminating = [SIGINT, SIGTERM]

    private let readEnd: Int32

    /// From now on these signals have no effect by themselves. A process has one of these objects.
    init(_ numbers: [Int32]) {
        var ends: [Int32] = [-1, -1]
        let made = pipe(&ends)
        if made != 0 { Shortage.stop("no file descriptor is left for signals") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Many signals must not block the handler. A lost one repeats a signal that waits already.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        readEnd = ends[0]
        Self.writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        for number in numbers {
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(ProcessSignals.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = saved
            }
        }
    }

    /// Waits for the next signal.
    func next() -> Int32 {
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) < 0, errno == EINTR {}
        return Int32(byte)
    }

    /// From now on a terminating signal ends the process at once.
    func stopCatchingTermination() {
        for number in Self.terminating { signal(number, SIG_DFL) }
    }
}

/// Checks whether the terminal in which the program was started still exists. A closing terminal sends
/// SIGHUP, which otherwise means a reload.
struct TerminalPresence: Sendable {
    private let terminals: [Int32]

    init(_ descriptors: [Int32] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]) {
        terminals = descriptors.filter { isatty($0) == 1 }
    }

    /// False when there was no terminal from the start.
    var isLost: Bool { terminals.contains { isatty($0) == 0 } }
}
