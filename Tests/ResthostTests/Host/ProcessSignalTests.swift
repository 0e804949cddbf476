import Platform
import TestSupport
import Testing

@testable import resthost

struct TerminalPresenceTests {
    #if os(Linux)
        @Test func `a terminal that is closed is lost`() {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (lock, number): (Int32, Int32) = (0, -1)
            // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h: unlock the other side, and get its number.
            #expect(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
            let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            defer { close(other) }
            let terminal = TerminalPresence([other])
            #expect(!terminal.isLost)
            close(master)
            #expect(terminal.isLost)
        }
    #endif

    @Test func `without a terminal none is lost`() {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(!TerminalPresence([file]).isLost)
    }
}

struct ThreadSignalTests {
    /// Whether the signal is blocked in the calling thread.
    private static func isBlocked(_ number: CInt) -> Bool {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return sigismember(&blocked, number) == 1
    }

    @Test func `what is sent to the process reaches no thread that was started`() async {
        let numbers = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGSEGV]
        let there: [Bool]? = await waiting(for: "a thread") { notified in
            PeerThread.start { notified(numbers.map(Self.isBlocked)) }
        }
        #expect(there == [true, true, true, true, false])
    }
}
