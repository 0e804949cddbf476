/// The `console` blocks of a document: commands behind a dollar sign, and their output.
struct Transcript {
    struct Step: Equatable {
        var command: String
        var output: [String] = []

        /// The command keeps running, as a server does.
        var isBackground: Bool { command.hasSuffix(" &") }
    }

    /// A fenced block of a document.
    struct Block {
        var language: String
        var lines: [String] = []

        var text: String { lines.joined(separator: "\n") }

        /// A block that begins with `-- name.lua` is that file.
        var fileName: String? { text.firstMatch(of: /^-- (\S+\.lua)\n/).map { String($0.1) } }

        /// A test, as `resthost test` runs it.
        var isTest: Bool { text.contains("require \"resthost.test\"") }

        /// A script, and not a piece of one.
        var isScript: Bool { text.contains("require \"resthost\"") }
    }

    let steps: [Step]

    init(_ markdown: String) { self.init(Self.blocks(in: markdown)) }

    init(_ blocks: [Block]) {
        var steps: [Step] = []
        for line in blocks.filter({ $0.language == "console" }).flatMap(\.lines) {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        self.steps = steps
    }

    /// The fenced blocks of a document in a language, in their order. Indented blocks don't count, and
    /// scripts/check-documents refuses them.
    static func blocks(in markdown: String) -> [Block] {
        var blocks: [Block] = []
        var current: Block?
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if var block = current {
                if line == "```" {
                    blocks.append(block)
                    current = nil
                } else {
                    block.lines.append(String(line))
                    current = block
                }
            } else if line.hasPrefix("```") {
                current = Block(language: String(line.dropFirst(3)))
            }
        }
        return blocks
    }

    /// Those in one language.
    static func blocks(_ language: String, in markdown: String) -> [Block] {
        blocks(in: markdown).filter { $0.language == language }
    }
}
