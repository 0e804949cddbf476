import Platform
import Synchronization

/// The signals that the process acts on, one after the other. The handler writes the signal's number to a
/// pipe, which works whichever thread it runs on.
struct ProcessSignals {
    private static let writeEnd = Atomic<Int32>(-1)

    /// They ask the process to end.
    static let terminating = [SIGINT, SIGTERM]

    private let readEnd: Int32

    /// From here on the signals do nothing by themselves. One of these for each process.
    init(_ numbers: [Int32]) {
        var ends: [Int32] = [-1, -1]
        let made = pipe(&ends)
        if made != 0 { Shortage.stop("no file descriptor is left for signals") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A flood of signals must not block the handler; what is lost was asked for already.
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

    /// Waits for the next one.
    func next() -> Int32 {
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) < 0, errno == EINTR {}
        return Int32(byte)
    }

    /// From here on a signal that asks the process to end does so at once.
    func stopCatchingTermination() {
        for number in Self.terminating { signal(number, SIG_DFL) }
    }
}

/// Whether the terminal that the program was started in is still there. A terminal that is closed sends
/// SIGHUP, as somebody does who wants a reload.
struct TerminalPresence: Sendable {
    private let terminals: [Int32]

    init(_ descriptors: [Int32] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]) {
        terminals = descriptors.filter { isatty($0) == 1 }
    }

    /// False when there was none from the start.
    var isLost: Bool { terminals.contains { isatty($0) == 0 } }
}
