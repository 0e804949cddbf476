import Platform
import RestEngine
import RestScript
import Synchronization

/// Standard output and standard error, without buffers. The program's own messages are ``MaskedText``
/// (rule 47.1) and made visible (``VisibleText``). Requested content is written unchanged.
///
/// A program that serves clients calls ``neverWait(log:)``. From then on no reader can block it.
enum Streams {
    private struct Writers {
        var output: StreamWriter?
        var errors: StreamWriter?
    }

    private static let writers = Mutex(Writers())

    /// Gives each stream a ``StreamWriter`` from now on. It is called once.
    ///
    /// - Parameter log: Gets the number of dropped lines when the stream accepts lines again.
    static func neverWait(log: LogText) {
        writers.withLock { writers in
            guard writers.output == nil, writers.errors == nil else { return }
            writers.output = writer(STDOUT_FILENO, "standard output", log)
            writers.errors = writer(STDERR_FILENO, "standard error", log)
        }
    }

    private static func writer(_ descriptor: Int32, _ name: String, _ log: LogText) -> StreamWriter? {
        StreamWriter(name: name, write: { put($0, to: descriptor) }) { count in
            log.write(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "\(count) line\(count == 1 ? " was" : "s were") dropped: nobody read \(name) in time")
            )
        }
    }

    /// The number of lines that were dropped so far.
    static var droppedLines: Int {
        writers.withLock { ($0.output?.dropped ?? 0) + ($0.errors?.dropped ?? 0) }
    }

    /// Writes a line to standard error if it can take it at once (pipe(7): POLLOUT promises 4,096 bytes).
    static func lastWord(_ text: String) {
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&ready, 1, 0) == 1 { put(Array(visible(text).bytes.prefix(4096)), to: STDERR_FILENO) }
    }

    static func output(_ text: String) { write(visible(text).bytes, to: STDOUT_FILENO) }

    /// Writes JSON on a line of its own.
    static func output(json: MaskedText) {
        write((isOutputTerminal ? json.escaped(VisibleText.json) : json).ended.bytes, to: STDOUT_FILENO)
    }

    /// Writes the output of a script.
    static func output(printed: MaskedText) {
        write((isOutputTerminal ? printed.escaped(VisibleText.content) : printed).bytes, to: STDOUT_FILENO)
    }

    /// Writes content of a server, or help, byte for byte. On a terminal, control characters are made
    /// visible.
    static func output(content bytes: [UInt8]) {
        write(isOutputTerminal ? VisibleText.content(bytes) : bytes, to: STDOUT_FILENO)
    }

    /// The same without a change for terminals.
    static func output(raw bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    static func error(_ text: String) { error(visible(text)) }

    /// Writes a text that is visible already.
    static func error(_ text: MaskedText) { write(text.bytes, to: STDERR_FILENO) }

    /// A text for people.
    static func visible(_ text: String) -> MaskedText { MaskedText(VisibleText.styled(text)) }

    /// An object for programs, on one line.
    static func line(json: MaskedText) -> MaskedText { json.escaped(VisibleText.json).ended }

    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal of standard error.
    static var errorColumns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes a ``TerminalLine`` in the place of what the line shows.
    static func draw(_ line: String, to descriptor: Int32) {
        put(TerminalLine.erasure + visible(line).bytes, to: descriptor)
    }

    /// Ends the process at once. There are no destructors to wait for, because all data was written before.
    static func exit(_ code: Int32) -> Never {
        fflush(nil)
        let (output, errors) = writers.withLock { ($0.output, $0.errors) }
        for writer in [output, errors] { writer?.finish(within: 2) }
        let failure = outputFailure.load(ordering: .relaxed)
        guard code == 0, failure != 0 else { _exit(code) }
        lastWord("error: cannot write to standard output: \(String(cString: strerror(failure)))\n")
        _exit(1)
    }

    /// The error number of a failed write to standard output; 0 when there was none.
    private static let outputFailure = Atomic<Int32>(0)

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let writer = writers.withLock { descriptor == STDOUT_FILENO ? $0.output : $0.errors }
        if let writer { return writer.add(bytes) }
        guard let draw = TerminalLine.draw, isatty(descriptor) == 1 else { return put(bytes, to: descriptor) }
        put(TerminalLine.above(bytes), to: descriptor)
        draw()
    }

    private static func put(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = Platform.write(descriptor, buffer.baseAddress, buffer.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    // When the reader is gone, no message can be delivered.
                    if errno != EPIPE, descriptor == STDOUT_FILENO {
                        outputFailure.store(errno, ordering: .relaxed)
                    }
                    return
                }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// The colours of a terminal, unless they are switched off (NO_COLOR, TERM=dumb).
struct Style {
    let isColoured: Bool

    static let standardError = Style(isColoured: Streams.isErrorTerminal && isWanted)
    static let standardOutput = Style(isColoured: Streams.isOutputTerminal && isWanted)
    static let plain = Style(isColoured: false)

    private static var isWanted: Bool {
        getenv("NO_COLOR") == nil && getenv("TERM").map { String(cString: $0) != "dumb" } ?? true
    }

    private enum Code: String, CaseIterable {
        case bold = "1"
        case red = "1;31"
        case green = "32"
        case yellow = "1;33"
        case dim = "2"
        case end = "0"

        var sequence: String { "\u{1B}[\(rawValue)m" }
    }

    /// All sequences that a style may produce.
    static let sequences = Code.allCases.map(\.sequence)

    func bold(_ text: String) -> String { wrap(text, .bold) }
    func red(_ text: String) -> String { wrap(text, .red) }
    func green(_ text: String) -> String { wrap(text, .green) }
    func yellow(_ text: String) -> String { wrap(text, .yellow) }
    func dim(_ text: String) -> String { wrap(text, .dim) }

    private func wrap(_ text: String, _ code: Code) -> String {
        isColoured ? code.sequence + text + Code.end.sequence : text
    }
}
