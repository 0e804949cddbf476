import Platform
import TestSupport
import Testing

struct ThreadSignalTests {
    /// In the calling thread.
    private static func isBlocked(_ number: CInt) -> Bool {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return sigismember(&blocked, number) == 1
    }

    @Test func `what is sent to the process reaches no thread that was started`() async {
        let numbers = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGSEGV]
        let there = await withCheckedContinuation { continuation in
            PeerThread.start { continuation.resume(returning: numbers.map(Self.isBlocked)) }
        }
        #expect(there == [true, true, true, true, false])
    }
}
