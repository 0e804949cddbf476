/// What a document shows in its `console` blocks: commands behind a dollar sign, and what they print.
struct Transcript {
    struct Step: Equatable {
        var command: String
        var output: [String] = []

        /// It stays behind, as a server does.
        var isBackground: Bool { command.hasSuffix(" &") }
    }

    let steps: [Step]

    init(_ markdown: String) {
        var steps: [Step] = []
        for line in Self.blocks("console", in: markdown).joined() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        self.steps = steps
    }

    /// Lines of the fenced blocks in a language.
    static func blocks(_ language: String, in markdown: String) -> [[String]] {
        var blocks: [[String]] = []
        var current: [String]?
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = current {
                if line == "```" {
                    blocks.append(lines)
                    current = nil
                } else {
                    current?.append(String(line))
                }
            } else if line == "```" + language {
                current = []
            }
        }
        return blocks
    }
}
