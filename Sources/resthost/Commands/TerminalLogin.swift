import Dispatch
import RestEngine
import RestScript

/// A login at the terminal of `resthost login`: text on standard error, lines from standard input, and a
/// browser's redirect to a port of the loopback address (RFC 8252 7.3).
final class TerminalLogin: LoginTerminal {
    /// Seconds for a person to log in.
    private nonisolated static let timeout: Int32 = 600
    private nonisolated static let longestLine = 16 << 10

    private let listens: Bool
    private var listener: LoopbackRedirect?

    init(listens: Bool) { self.listens = listens }

    func show(_ text: String) { Streams.error(text + "\n") }

    func ask(_ prompt: String, _ answer: @escaping @EngineActor (String?) -> Void) {
        Streams.error(prompt)
        Self.answer(answer) { readLine(strippingNewline: true).map { String($0.prefix(Self.longestLine)) } }
    }

    func listen(for url: String?) -> String? {
        guard listens else { return nil }
        listener = LoopbackRedirect(url: url)
        return listener?.url
    }

    func awaitRedirect(_ answer: @escaping @EngineActor (String?) -> Void) {
        guard let listener else { return answer(nil) }
        Self.answer(answer) { listener.wait(seconds: Self.timeout) }
    }

    func end() { listener?.close() }

    /// Waits on a thread of its own, because the engine's must not block.
    private static func answer(
        _ answer: @escaping @EngineActor (String?) -> Void, _ wait: @escaping @Sendable () -> String?
    ) {
        DispatchQueue.global().async {
            let text = wait()
            EngineLoop.shared.submit { answer(text) }
        }
    }
}
