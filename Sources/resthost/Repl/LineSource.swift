import Platform

/// Where the repl's lines come from.
protocol LineSource {
    /// A person sits there.
    var isInteractive: Bool { get }

    /// Without its end; nil at the end of the input, or when it was interrupted.
    func next(prompt: String) -> String?

    func close()
}

/// Lines of standard input as they are.
struct PlainLines: LineSource {
    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && Streams.isOutputTerminal }

    func next(prompt: String) -> String? {
        if isInteractive { Streams.output(prompt) }
        // What stays unread in a buffer of C's is found there again by the next call.
        return readLine(strippingNewline: true)
    }

    func close() {}
}
