import ArgumentParser
import RestEngine

/// A command as `--help` knows it: read from the description of the program that ArgumentParser gives as
/// JSON (`--experimental-dump-help`).
struct CommandInfo {
    /// `get`, or `resthost` for the program itself.
    let name: String
    let abstract: String
    let discussion: CommandText
    /// False for commands that are not for users.
    let isListed: Bool
    let arguments: [ArgumentInfo]
    let subcommands: [CommandInfo]

    static func program() -> CommandInfo {
        guard let tree = try? Tree(json: Resthost._dumpHelp()), let command = tree["command"] else {
            preconditionFailure("ArgumentParser describes the program in another form")
        }
        return CommandInfo(command)
    }

    private init(_ tree: Tree) {
        name = tree["commandName"]?.string ?? ""
        abstract = tree["abstract"]?.string ?? ""
        discussion = CommandText(tree["discussion"]?.string ?? "")
        isListed = tree["shouldDisplay"]?.bool ?? true
        arguments = ArgumentInfo.merged((tree["arguments"]?.elements.map { $0 } ?? []).map(ArgumentInfo.init))
        subcommands = (tree["subcommands"]?.elements.map { $0 } ?? []).map(CommandInfo.init)
    }

    /// The commands that have a page of their own.
    var pages: [CommandInfo] { subcommands.filter { $0.isListed && $0.name != "help" } }

    /// `SERVICE and PATH`, in their order.
    var positionals: [ArgumentInfo] { arguments.filter { $0.kind == .positional } }

    /// Options and flags. ArgumentParser puts `--version` and `--help` at the end.
    var options: [ArgumentInfo] { arguments.filter { $0.kind != .positional } }
}

/// An argument, an option or a flag of a command.
struct ArgumentInfo {
    enum Kind: String {
        case positional, option, flag
    }

    let kind: Kind
    /// With their dashes; empty for arguments without a name.
    private(set) var names: [String]
    /// Empty for flags.
    let valueName: String
    let abstract: String
    /// In the words of the command line.
    let defaultValue: String?
    let isOptional: Bool
    let isRepeating: Bool

    init(_ tree: Tree) {
        kind = tree["kind"]?.string.flatMap(Kind.init) ?? .positional
        names = (tree["names"]?.elements.map { $0 } ?? []).map { name in
            (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
        }
        valueName = kind == .flag ? "" : tree["valueName"]?.string ?? ""
        abstract = tree["abstract"]?.string ?? ""
        defaultValue = tree["defaultValue"]?.string
        isOptional = tree["isOptional"]?.bool ?? false
        isRepeating = tree["isRepeating"]?.bool ?? false
    }

    /// `--watch` and `--no-watch` come as two flags with one text, and become one with two names.
    static func merged(_ arguments: [ArgumentInfo]) -> [ArgumentInfo] {
        var result: [ArgumentInfo] = []
        for argument in arguments {
            if let last = result.last?.names.last, argument.names == ["--no-" + last.dropFirst(2)] {
                result[result.count - 1].names += argument.names
            } else {
                result.append(argument)
            }
        }
        return result
    }

    /// A word of an argument without a name. One argument may stand for two words: `[service] path`.
    struct Word {
        let name: String
        let isOptional: Bool
        let isRepeating: Bool
    }

    var words: [Word] {
        guard valueName.contains("[") else {
            return [Word(name: valueName, isOptional: isOptional, isRepeating: isRepeating)]
        }
        return valueName.split(separator: " ").map { word in
            let isOptional = word.hasPrefix("[")
            return Word(
                name: String(isOptional ? word.dropFirst().dropLast() : word), isOptional: isOptional,
                isRepeating: false)
        }
    }

    /// The text of its help, with the default when that is a value.
    var explanation: String {
        guard let defaultValue else { return abstract }
        return "\(abstract) Default: \(defaultValue)."
    }
}

/// The discussion of a command, in its parts.
struct CommandText {
    private(set) var paragraphs: [String] = []
    /// The lines of the examples, without their indentation.
    private(set) var examples: [String] = []

    init(_ discussion: String) {
        var block: [Substring] = []
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                add(block)
                block = []
            } else {
                block.append(line)
            }
        }
        add(block)
    }

    private mutating func add(_ block: [Substring]) {
        guard let first = block.first else { return }
        if first == "Examples:" {
            examples += block.dropFirst().map { String($0.hasPrefix("  ") ? $0.dropFirst(2) : $0) }
        } else if !first.hasPrefix("Exit codes:") {
            // The codes of all commands are in ``CommandFacts``.
            paragraphs.append(block.joined(separator: " "))
        }
    }
}
