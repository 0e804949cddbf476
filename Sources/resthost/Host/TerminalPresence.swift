import Platform

/// Whether the terminal that the program was started in is still there. A terminal that is closed sends SIGHUP, as
/// somebody does who wants a reload.
struct TerminalPresence: Sendable {
    private let terminals: [Int32]

    init(_ descriptors: [Int32] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]) {
        terminals = descriptors.filter { isatty($0) == 1 }
    }

    /// False when there was none from the start.
    var isLost: Bool { terminals.contains { isatty($0) == 0 } }
}
