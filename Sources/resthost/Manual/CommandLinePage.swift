/// The page docs/reference/command-line.md of the book, made of the same texts as `--help`.
enum CommandLinePage {
    static func markdown() -> String {
        let program = CommandInfo.program()
        // Each section ends with an empty line, and the file with a line.
        return String((beginning(program) + program.pages.map(section).joined()).dropLast())
    }

    private static let sharedHeading = "Permissions and limits"

    /// Every command that runs scripts has these options: one table is enough for all.
    private static let shared = Set(GrantOptions.all.map { "--\($0.name)" })

    private static func takesShared(_ command: CommandInfo) -> Bool {
        shared.isSubset(of: command.options.flatMap(\.names))
    }

    private static func beginning(_ program: CommandInfo) -> String {
        let commands = program.pages
        let users = commands.filter(takesShared)
        let options = users.first?.options.filter(isShared) ?? []
        let names = users.map { "`\($0.name)`" }
        let facts = CommandFacts.of(program.name)
        return """
            # Command line

            Every command and option of `resthost`, in the words of `--help`.

            This file is written by `resthost reference command-line > docs/reference/command-line.md`.

            ```
            resthost <command> [options]
            ```

            \(table(["Command", "Purpose"], commands.map { command in
                let title = "resthost \(command.name)"
                return ["[`\(title)`](#\(anchor(title)))", prose(command.abstract)]
            }))
            Each command takes `--help`, which prints its help, and `--version`. `resthost manual FOLDER` writes this
            reference as pages for `man`.

            ## Exit codes

            \(exits(facts))
            ## Files

            \(files(facts?.files ?? []))
            ## \(sharedHeading)

            \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") take these options. An option replaces
            the same setting of `resthost.toml`.

            \(optionTable(options))
            ## Examples

            \(code(program.discussion.examples, language: ""))

            """
    }

    private static func section(_ command: CommandInfo) -> String {
        let facts = CommandFacts.of(command.name)
        let shared = CommandFacts.of("resthost")?.files.map(\.path) ?? []
        let files = (facts?.files ?? []).filter { !shared.contains($0.path) }
        var parts = [
            "## resthost \(command.name)", wrapped(command.abstract),
            code([usage(of: command)], language: ""),
        ]
        parts += command.discussion.paragraphs.map(wrapped)
        if !command.positionals.isEmpty {
            parts.append(
                table(
                    ["Argument", "Meaning"],
                    command.positionals.map { ["`\(words(of: $0))`", prose($0.explanation)] }))
        }
        let own = command.options.filter { !isShared($0) && !isCommon($0) }
        if !own.isEmpty { parts.append(optionTable(own)) }
        if takesShared(command) {
            parts.append(
                "The command also takes the options of [\(sharedHeading)](#\(anchor(sharedHeading))).")
        }
        parts.append(exits(facts))
        if !files.isEmpty { parts.append(self.files(files)) }
        parts.append(code(command.discussion.examples, language: "sh"))
        // Tables and code have their own line ends.
        return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n") + "\n"
    }

    private static func isShared(_ option: ArgumentInfo) -> Bool {
        option.names.contains(where: shared.contains)
    }

    /// Options of all commands, which the beginning of the page names.
    private static func isCommon(_ option: ArgumentInfo) -> Bool {
        option.names.contains("--help") || option.names.contains("--version")
    }

    private static func usage(of command: CommandInfo) -> String {
        (["resthost", command.name, "[options]"] + command.positionals.map(words)).joined(separator: " ")
    }

    private static func words(of argument: ArgumentInfo) -> String {
        argument.words.map { word in
            let name = "<\(word.name)>" + (word.isRepeating ? " ..." : "")
            return word.isOptional ? "[\(name)]" : name
        }.joined(separator: " ")
    }

    // MARK: Markdown

    private static func optionTable(_ options: [ArgumentInfo]) -> String {
        table(
            ["Option", "Meaning"],
            options.map { option in
                let value = option.valueName.isEmpty ? "" : " \(option.valueName)"
                let names = option.names.joined(separator: ", ")
                return ["`\(names)\(value.replacing("|", with: "\\|"))`", prose(option.explanation)]
            })
    }

    private static func exits(_ facts: CommandFacts?) -> String {
        table(["Exit code", "Meaning"], (facts?.exits ?? []).map { ["\($0.code)", prose($0.meaning)] })
    }

    private static func files(_ files: [CommandFacts.File]) -> String {
        table(["File", "Meaning"], files.map { ["`\($0.path)`", prose($0.meaning)] })
    }

    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        let line = "|" + heads.map { _ in "---|" }.joined()
        return ([heads] + rows).map { "| \($0.joined(separator: " | ")) |" }.inserting(line, at: 1)
            .joined(separator: "\n") + "\n"
    }

    private static func code(_ lines: [String], language: String) -> String {
        "```\(language)\n\(lines.joined(separator: "\n"))\n```\n"
    }

    private static func wrapped(_ text: String) -> String {
        WrappedText.lines(prose(text), width: 110).joined(separator: "\n")
    }

    /// Signs that Markdown would read as its own, outside of what stands between backticks.
    private static func prose(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            if index % 2 == 1 { return part.replacing("|", with: "\\|") }
            return part.replacing("*", with: "\\*").replacing("_", with: "\\_").replacing("|", with: "\\|")
                .replacing("<", with: "&lt;")
        }.joined(separator: "`")
    }

    /// As GitHub makes it of a heading.
    private static func anchor(_ heading: String) -> String {
        heading.lowercased().replacing(" ", with: "-")
    }
}

extension [String] {
    fileprivate func inserting(_ line: String, at index: Int) -> [String] {
        Array(self[..<index]) + [line] + self[index...]
    }
}
