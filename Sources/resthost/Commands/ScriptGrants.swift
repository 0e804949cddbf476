import ArgumentParser
import RestScript

/// What the command line lets scripts reach, in every command that runs any.
struct ScriptGrants: ParsableArguments {
    @Option(
        name: .customLong("lua-path"),
        help: ArgumentHelp("Another folder for require; may be repeated.", valueName: "folder"))
    var modulePaths: [String] = []

    @Option(
        name: .customLong("allow-env"),
        help: ArgumentHelp("Environment variables that the script may read.", valueName: "name,…"))
    var allowedEnvironment: [String] = []

    func options() -> ScriptOptions {
        let names = allowedEnvironment.flatMap { $0.split(separator: ",").map(String.init) }
        var options = ScriptOptions()
        options.modulePaths = modulePaths
        options.grantedEnvironment = Set(names)
        options.environment = ProcessVariables.values(of: names)
        return options
    }
}
