import Platform

/// Colours, if the stream is a terminal and nobody asked for none (NO_COLOR, TERM=dumb).
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

    /// All that may come out of a style, besides the text.
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
