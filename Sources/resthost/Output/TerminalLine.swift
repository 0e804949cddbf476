import Platform
import Synchronization

/// The last line of a terminal, which stays below all further output: the repl's prompt with the text behind
/// it, or the progress of a request. Each output erases it, and then has it drawn again.
enum TerminalLine {
    private static let drawing = Mutex<(@Sendable () -> Void)?>(nil)

    /// Moves to the begin of the line and clears it (ECMA-48: CR, EL).
    static let erasure = Array("\r\u{1B}[K".utf8)

    /// Whether the terminal understands that.
    static var isPossible: Bool { getenv("TERM").map { String(cString: $0) != "dumb" } ?? false }

    /// - Parameter draw: Called after each output, on its thread. It may use ``Streams/draw(_:to:)``, and no
    ///   other output.
    static func show(_ draw: @escaping @Sendable () -> Void) { drawing.withLock { $0 = draw } }

    static func hide() { drawing.withLock { $0 = nil } }

    /// Nil while there is no such line.
    static var draw: (@Sendable () -> Void)? { drawing.withLock { $0 } }

    /// An output in the place of the line, which begins below it.
    static func above(_ bytes: [UInt8]) -> [UInt8] {
        erasure + bytes + (bytes.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")])
    }
}
