import CPlatform
import Platform
import Synchronization

/// Reads typed characters for libedit, whose own reading misses a Ctrl-C just before it. This also does the
/// rest of libedit's work: it shows the line again after a stop and after other output, and notices a new
/// window size. Belongs to the main thread, which also gets the signals.
enum TerminalInput {
    private static let wasContinued = Atomic<Bool>(false)
    private static let wasResized = Atomic<Bool>(false)
    /// The ends of a pipe: a byte in it ends the wait for a character.
    private static let wakeRead = Atomic<Int32>(-1)
    private static let wakeWrite = Atomic<Int32>(-1)

    static func watch() {
        signal(SIGCONT) { _ in TerminalInput.wasContinued.store(true, ordering: .sequentiallyConsistent) }
        signal(SIGWINCH) { _ in TerminalInput.wasResized.store(true, ordering: .sequentiallyConsistent) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeRead.store(ends[0], ordering: .sequentiallyConsistent)
        wakeWrite.store(ends[1], ordering: .sequentiallyConsistent)
    }

    /// Has the main thread show prompt and line again. Any thread.
    static func redraw() {
        var byte: UInt8 = 1
        // A full pipe wakes it, too.
        _ = write(wakeWrite.load(ordering: .sequentiallyConsistent), &byte, 1)
    }

    /// Whether other output has erased the line.
    private static func wasErased() -> Bool {
        var bytes: UInt64 = 0
        var wasErased = false
        while read(wakeRead.load(ordering: .sequentiallyConsistent), &bytes, 8) > 0 { wasErased = true }
        return wasErased
    }

    /// Waits for a character; -1 at the end of the input and after an ``Interruption``.
    static func next(redisplay: () -> Void, resize: () -> Void) -> CInt {
        // Sets the mode that libedit uses, because a shell may have changed it meanwhile.
        var mode = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &mode) == 0
        while true {
            let character = cplatform_read_character(
                STDIN_FILENO, Interruption.descriptor, wakeRead.load(ordering: .sequentiallyConsistent))
            guard character == CPLATFORM_SIGNAL else { return character }
            if wasResized.exchange(false, ordering: .sequentiallyConsistent) { resize() }
            let wasContinued = wasContinued.exchange(false, ordering: .sequentiallyConsistent)
            if wasContinued, isKnown { tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) }
            if wasErased() || wasContinued { redisplay() }
        }
    }
}
