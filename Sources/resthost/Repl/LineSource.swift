import Platform
import RestEngine

/// The source of the repl's lines.
protocol LineSource {
    /// True when a person types the lines.
    var isInteractive: Bool { get }

    /// The next line without its end; nil at the end of the input, or after an interruption.
    func next(prompt: String) -> String?

    func close()
}

/// The lines of standard input, unchanged.
struct PlainLines: LineSource {
    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && Streams.isOutputTerminal }

    func next(prompt: String) -> String? {
        if isInteractive {
            Streams.output(prompt)
            if TerminalLine.isPossible { TerminalLine.show { Streams.draw(prompt, to: STDOUT_FILENO) } }
        }
        defer { TerminalLine.hide() }
        // Unread input stays in a buffer of the C library, where the next call finds it.
        return readLine(strippingNewline: true)
    }

    func close() {}
}

/// Lines of a terminal, edited with libedit: history and completion. The library is loaded here, so that only
/// this command needs it. Belongs to the main thread.
struct EditLine: LineSource {
    private typealias Read = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
    private typealias Remember = @convention(c) (UnsafePointer<CChar>) -> CInt
    private typealias ReadCharacter = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private typealias Limit = @convention(c) (CInt) -> Void
    private typealias Matches = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Complete = @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> Matches?

    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.dylib", "libedit.3.dylib"]
    /// The most lines in the history.
    private static let historyLines: CInt = 1000

    private let read: Read
    private let remember: Remember
    private let writeHistory: Remember
    private let historyPath: String?

    let isInteractive = true

    /// Nil when there is no terminal or no libedit.
    init?() {
        guard isatty(STDIN_FILENO) == 1, Streams.isOutputTerminal,
            getenv("TERM").map({ String(cString: $0) != "dumb" }) ?? false,
            let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
            let read: Read = Self.function("readline", library),
            let remember: Remember = Self.function("add_history", library),
            let readHistory: Remember = Self.function("read_history", library),
            let writeHistory: Remember = Self.function("write_history", library)
        else { return nil }
        self.read = read
        self.remember = remember
        self.writeHistory = writeHistory
        // Letters of other languages have more than one byte.
        setlocale(LC_CTYPE, "")
        // Without a locale, as in most containers, such letters would be dropped.
        if let name = nl_langinfo(CInt(CODESET)), strcmp(name, "ANSI_X3.4-1968") == 0 {
            setlocale(LC_CTYPE, "C.UTF-8")
        }
        Self.installCompletion(library)
        Self.installInput(library)
        historyPath = Self.history
        if let limit: Limit = Self.function("stifle_history", library) { limit(Self.historyLines) }
        if let historyPath { _ = readHistory(historyPath) }
    }

    func next(prompt: String) -> String? {
        TerminalLine.show { TerminalInput.redraw() }
        defer { TerminalLine.hide() }
        guard let line = read(prompt) else { return nil }
        defer { free(line) }
        let text = String(cString: line)
        if text.contains(where: { !$0.isWhitespace }) { _ = remember(line) }
        return text
    }

    /// Saves the history for its owner only, because it may contain secrets.
    func close() {
        guard let historyPath, (try? NewFile.makeFolders(of: historyPath)) != nil else { return }
        let file = open(historyPath, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 { _ = Self.closeFile(file) }
        _ = writeHistory(historyPath)
        chmod(historyPath, 0o600)
    }

    private static func closeFile(_ file: CInt) -> CInt {
        Platform.close(file)
    }

    private static var history: String? {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let state = variable("XDG_STATE_HOME") ?? variable("HOME").map { $0 + "/.local/state" }
        return state.map { $0 + "/resthost/history" }
    }

    private static func function<Function>(_ name: String, _ library: UnsafeMutableRawPointer) -> Function? {
        // The caller declares the function's type as in libedit's header.
        dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }

    // MARK: Input

    // It is set once, before the first line is read. The library's callback uses it on the same thread.
    nonisolated(unsafe) private static var redisplay: (@convention(c) () -> Void)?
    nonisolated(unsafe) private static var resize: (@convention(c) () -> Void)?

    private static func installInput(_ library: UnsafeMutableRawPointer) {
        guard let character = dlsym(library, "rl_getc_function") else { return }
        redisplay = function("rl_forced_update_display", library)
        resize = function("rl_resize_terminal", library)
        TerminalInput.watch()
        character.assumingMemoryBound(to: ReadCharacter?.self).pointee = { _ in
            TerminalInput.next(redisplay: { EditLine.redisplay?() }, resize: { EditLine.resize?() })
        }
    }

    // MARK: Completion

    // It is set once, before the first line is read. The library's callback uses it on the same thread.
    nonisolated(unsafe) private static var lineBuffer: UnsafePointer<UnsafePointer<CChar>?>?
    nonisolated(unsafe) private static var isOver: UnsafeMutablePointer<CInt>?

    private static func installCompletion(_ library: UnsafeMutableRawPointer) {
        guard let complete = dlsym(library, "rl_attempted_completion_function"),
            let buffer = dlsym(library, "rl_line_buffer")
        else { return }
        lineBuffer = UnsafePointer(buffer.assumingMemoryBound(to: UnsafePointer<CChar>?.self))
        isOver = dlsym(library, "rl_attempted_completion_over").map { $0.assumingMemoryBound(to: CInt.self) }
        for name in ["rl_basic_word_break_characters", "rl_completer_word_break_characters"] {
            // The library owns this text.
            dlsym(library, name)?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee = strdup(
                " \t\n\"'`@$><=;|&{}()[]+-*/%^#~,.:")
        }
        dlsym(library, "rl_completion_append_character")?.assumingMemoryBound(to: CInt.self).pointee = 0
        let callback: Complete = { _, _, end in EditLine.matches(upTo: Int(end)) }
        complete.assumingMemoryBound(to: Complete?.self).pointee = callback
    }

    /// The common beginning of all matches, then each match, in memory that the library frees.
    private static func matches(upTo end: Int) -> Matches? {
        isOver?.pointee = 1
        guard let line = lineBuffer?.pointee else { return nil }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: line, count: min(end, strlen(line))), as: UTF8.self)
        let found = MainThread.value { @EngineActor in ReplSession.current?.completions(of: text) ?? [] }
        guard let first = found.first, let last = found.last else { return nil }
        // The names are sorted, so the first and the last have the common beginning of all.
        let common = zip(first, last).prefix { $0 == $1 }.map(\.0)
        let all = found.count == 1 ? found : [String(common)] + found
        guard let memory = malloc((all.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride) else {
            return nil
        }
        let matches = memory.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        for (place, match) in all.enumerated() { matches[place] = strdup(match) }
        matches[all.count] = nil
        return matches
    }
}
