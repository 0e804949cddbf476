/// Text for man(1), in the macros of man(7).
struct Roff {
    private(set) var text: String
    /// A paragraph begins there without a macro of its own.
    private var isAtSectionStart = false

    /// - Parameters:
    ///   - title: The name of the page.
    ///   - source: The program and its version, for the foot of the page.
    init(title: String, source: String) {
        // Without a date, so that the same version always gives the same page.
        text =
            ".TH \(Self.escaped(title.uppercased())) 1 \"\" \"\(Self.escaped(source))\" \"resthost manual\"\n"
        // Neither hyphens nor wide gaps: paths and options must stay as they are.
        text += ".nh\n.ad l\n"
    }

    mutating func section(_ name: String) {
        text += ".SH \(name)\n"
        isAtSectionStart = true
    }

    private mutating func beginParagraph() {
        if !isAtSectionStart { text += ".PP\n" }
        isAtSectionStart = false
    }

    /// A paragraph of prose, in which words between backticks are bold.
    mutating func paragraph(_ prose: String) {
        beginParagraph()
        add(Self.prose(prose))
    }

    /// A line that has its fonts already.
    mutating func line(_ roff: String) { add(roff) }

    /// An entry of a list.
    ///
    /// - Parameter tag: It has its fonts already.
    mutating func item(_ tag: String, _ prose: String) {
        text += ".TP\n"
        text += Self.safe(tag) + "\n"
        add(Self.prose(prose))
    }

    /// Lines as they are, indented.
    mutating func literal(_ lines: [String]) {
        beginParagraph()
        text += ".RS 4\n.nf\n"
        for line in lines { text += Self.safe(Self.escaped(line)) + "\n" }
        text += ".fi\n.RE\n"
    }

    private mutating func add(_ roff: String) {
        for line in WrappedText.lines(roff, width: 100) { text += Self.safe(line) + "\n" }
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    private static func prose(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        guard parts.count % 2 == 1 else { return escaped(text) }
        return parts.enumerated().map { $0.offset % 2 == 1 ? bold($0.element) : escaped($0.element) }.joined()
    }

    /// A line that begins with a dot would be a request (groff(7)). An apostrophe at the beginning would be
    /// one too, but ``escaped(_:)`` leaves none.
    private static func safe(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }

    /// Signs that groff would set as others, or read as its own (groff_char(7)).
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\(rs"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            default:
                if scalar.isASCII {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
                }
            }
        }
        return result
    }
}

/// Prose, broken into lines between words.
enum WrappedText {
    static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
