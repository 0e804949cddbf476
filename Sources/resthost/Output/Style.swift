#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Colours, if the stream is a terminal and nobody asked for none (NO_COLOR, TERM=dumb).
struct Style {
    let isColoured: Bool

    static let standardError = Style(isColoured: Streams.isErrorTerminal && isWanted)
    static let standardOutput = Style(isColoured: Streams.isOutputTerminal && isWanted)
    static let plain = Style(isColoured: false)

    private static var isWanted: Bool {
        getenv("NO_COLOR") == nil && getenv("TERM").map { String(cString: $0) != "dumb" } ?? true
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func red(_ text: String) -> String { wrap(text, "1;31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func yellow(_ text: String) -> String { wrap(text, "1;33") }
    func dim(_ text: String) -> String { wrap(text, "2") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
