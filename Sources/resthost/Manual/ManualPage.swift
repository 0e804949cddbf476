/// A page for man(1): of the program, or of one of its commands.
struct ManualPage {
    /// `resthost-get`; the name of its file has the section behind it.
    let name: String
    let text: String

    static func all() -> [ManualPage] {
        let program = CommandInfo.program()
        return [page(of: program, commands: program.pages)]
            + program.pages.map { page(of: $0, commands: [], parent: program.name) }
    }

    /// - Parameter parent: The name of the program, for a command.
    private static func page(of command: CommandInfo, commands: [CommandInfo], parent: String? = nil)
        -> ManualPage
    {
        let name = parent.map { "\($0)-\(command.name)" } ?? command.name
        let facts = CommandFacts.of(command.name)
        var roff = Roff(title: name, source: HostVersion.text)
        roff.section("NAME")
        roff.line("\(Roff.escaped(name)) \\- \(Roff.escaped(summary(command.abstract)))")
        roff.section("SYNOPSIS")
        roff.line(synopsis(of: command, parent: parent))
        roff.section("DESCRIPTION")
        for paragraph in [command.abstract] + command.discussion.paragraphs { roff.paragraph(paragraph) }
        if !commands.isEmpty {
            roff.section("COMMANDS")
            for each in commands { roff.item(reference("\(name)-\(each.name)(1)"), each.abstract) }
        }
        if !command.positionals.isEmpty {
            roff.section("ARGUMENTS")
            for argument in command.positionals { roff.item(words(of: argument), argument.explanation) }
        }
        roff.section("OPTIONS")
        for option in command.options { roff.item(tag(of: option), option.explanation) }
        roff.section("EXIT STATUS")
        for exit in facts?.exits ?? [] { roff.item(Roff.bold("\(exit.code)"), exit.meaning) }
        if let files = facts?.files, !files.isEmpty {
            roff.section("FILES")
            for file in files { roff.item(Roff.italic(file.path), file.meaning) }
        }
        roff.section("EXAMPLES")
        roff.literal(command.discussion.examples)
        roff.section("SEE ALSO")
        var related = (parent.map { ["\($0)(1)"] } ?? commands.map { "\(name)-\($0.name)(1)" })
        related += (facts?.related ?? []).map { $0.hasSuffix(")") ? $0 : "\(parent ?? name)-\($0)(1)" }
        roff.line(related.map(reference).joined(separator: ", "))
        return ManualPage(name: name, text: roff.text)
    }

    /// As whatis(1) lists it: without a capital and without a full stop.
    private static func summary(_ abstract: String) -> String {
        let text = abstract.hasSuffix(".") ? abstract.dropLast() : abstract[...]
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func synopsis(of command: CommandInfo, parent: String?) -> String {
        guard let parent else {
            return "\(Roff.bold(command.name)) \(Roff.italic("command")) [\(Roff.italic("options"))]"
        }
        let arguments = command.positionals.map(words).joined(separator: " ")
        return "\(Roff.bold("\(parent) \(command.name)")) [\(Roff.italic("options"))]"
            + (arguments.isEmpty ? "" : " " + arguments)
    }

    private static func words(of argument: ArgumentInfo) -> String {
        argument.words.map { word in
            let name = Roff.italic(word.name) + (word.isRepeating ? " ..." : "")
            return word.isOptional ? "[\(name)]" : name
        }.joined(separator: " ")
    }

    /// `-h, --help`, `--listen host:port | unix:path`.
    private static func tag(of option: ArgumentInfo) -> String {
        let names = option.names.map(Roff.bold).joined(separator: ", ")
        guard !option.valueName.isEmpty else { return names }
        return names + " "
            + option.valueName.split(separator: " | ").map { Roff.italic(String($0)) }.joined(
                separator: " | ")
    }

    /// `curl(1)`, with its name in bold.
    private static func reference(_ page: String) -> String {
        let name = page.prefix { $0 != "(" }
        return Roff.bold(String(name)) + page.dropFirst(name.count)
    }
}
