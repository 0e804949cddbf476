import ArgumentParser
import LuaRuntime

/// What the first word of the command line should have been.
enum UnknownCommand {
    /// Nil when it is a command, an option, or missing.
    static func message(for arguments: [String]) -> String? {
        var arguments = arguments[...]
        // `help foo` means the same as `foo --help`.
        if arguments.first == "help" { arguments.removeFirst() }
        let commands = Resthost.configuration.subcommands.map { $0.configuration }
        let all = commands.compactMap { $0.commandName } + ["help"]
        let names = commands.filter { $0.shouldDisplay }.compactMap { $0.commandName }
        guard let word = arguments.first, !word.hasPrefix("-"), !all.contains(word) else { return nil }
        let advice =
            word.hasSuffix(".lua")
            ? ": did you mean 'resthost run \(word)'?" : NearestName.advice(word, among: names)
        return "resthost: there is no command '\(word)'\(advice)\n  the commands are: "
            + names.joined(separator: ", ") + "; see 'resthost --help'"
    }
}
