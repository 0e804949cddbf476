import ArgumentParser
import CPlatform
import Gateway
import LuaRuntime
import Platform
import RestScript

struct Resthost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resthost",
        abstract:
            "A scriptable REST host: a Lua script says how to request an API, and clients just request it.",
        discussion: """
            Examples:
              resthost init weather                    a folder with a script to begin with, and a test
              resthost run config.lua                  serve the script's services
              resthost get config.lua /users/octocat   one resource, on standard output
              resthost check config.lua                mistakes in the script
              resthost explain config.lua /users/octocat
                                                       which blocks apply, and what would be sent
              resthost routes config.lua               the paths that its gateway answers
              resthost repl config.lua                 try things out, line by line
              resthost test                            the tests of the scripts in this folder
              resthost fixtures api                    a folder of JSON files as an API
              resthost cookies cookies.db              the cookies that servers have set
              resthost plugins                         the plugins that come with the program
              resthost import openapi petstore.yaml    a script for an API that a document describes
              resthost login config.lua                log in where the plugin oauth2 needs a person
              resthost hash                            hash a password for a user of the gateway
              resthost status                          the work of the running host
              resthost reload                          load the script of that host again

            Exit codes: 0 done, 1 a request or test failed, or would, 2 wrong usage or an error in the script, 3 no \
            running host found.
            """,
        version: HostVersion.text,
        subcommands: [
            RunCommand.self, GetCommand.self, CheckCommand.self, ExplainCommand.self, RoutesCommand.self,
            ReplCommand.self,
            TestCommand.self, InitCommand.self, InstallServiceCommand.self, TypesCommand.self,
            FixturesCommand.self, PluginsCommand.self, ImportCommand.self, LoginCommand.self,
            CookiesCommand.self, HashCommand.self,
            StatusCommand.self, ReloadCommand.self, InvalidateCommand.self, WipeCommand.self,
            CompletionCommand.self, ManualCommand.self, ReferenceCommand.self,
        ])
}

/// The entry of the program. It works as ArgumentParser's own, but wrong usage exits with 2 on every system.
@main
enum Program {
    static func main() {
        // This is done first: otherwise the next opened file would get the number of a closed stream.
        cplatform_open_standard_streams()
        signal(SIGPIPE, SIG_IGN)
        // A file that exceeds its size limit is an error of that write.
        signal(SIGXFSZ, SIG_IGN)
        SystemFiles.requireArguments()
        ProcessLimits.requireForCommand()
        cplatform_keep_freed_memory()
        DescriptorLimit.raise()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let get = GetValues(plain: arguments) { get.run() }
        let unknown = UnknownCommand.message(for: arguments)
        do {
            // The parser would show the help of the program.
            if arguments.first == "help", let unknown {
                Streams.error(unknown + "\n")
                Streams.exit(2)
            }
            var command = try Resthost.parseAsRoot()
            try command.run()
        } catch {
            if let exit = error as? ExitCode { Streams.exit(exit.rawValue) }
            let code = Resthost.exitCode(for: error)
            let message = Resthost.fullMessage(for: error)
            if code == .success {
                Streams.output(content: Array((message + "\n").utf8))
                Streams.exit(0)
            }
            Streams.error((unknown ?? message) + "\n")
            Streams.exit(2)
        }
        Streams.exit(0)
    }
}

/// Suggests a command for a wrong first word.
enum UnknownCommand {
    /// Nil when the word is a command or an option, or is missing.
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

/// The text of `--version`.
enum HostVersion {
    static var text: String { "resthost \(Version.text)" }
}
