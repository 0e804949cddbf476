import CPlatform
import Platform
import Synchronization

/// What is typed, for libedit, whose own reading waits on when a Ctrl-C comes just before it. What that does besides is
/// done here: after a stop the line is shown again, and another size of the window is noticed. Belongs to the main thread,
/// which also gets the signals.
enum TerminalInput {
    private static let wasContinued = Atomic<Bool>(false)
    private static let wasResized = Atomic<Bool>(false)

    static func watch() {
        signal(SIGCONT) { _ in TerminalInput.wasContinued.store(true, ordering: .sequentiallyConsistent) }
        signal(SIGWINCH) { _ in TerminalInput.wasResized.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Waits for a character; -1 at the end of the input and after an ``Interruption``.
    static func next(redisplay: () -> Void, resize: () -> Void) -> CInt {
        // As libedit has set it; a shell that was in between has not.
        var mode = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &mode) == 0
        while true {
            let character = cplatform_read_character(STDIN_FILENO, Interruption.descriptor)
            guard character == CPLATFORM_SIGNAL else { return character }
            if wasResized.exchange(false, ordering: .sequentiallyConsistent) { resize() }
            if wasContinued.exchange(false, ordering: .sequentiallyConsistent) {
                if isKnown { tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) }
                redisplay()
            }
        }
    }
}
