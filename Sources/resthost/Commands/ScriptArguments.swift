import ArgumentParser
import CurlTransport
import RestScript

/// The options of every command that loads a script.
struct ScriptArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The script.", valueName: "config.lua"), completion: .file(extensions: ["lua"]))
    var config: String

    @OptionGroup var grants: ScriptGrants

    func options(log: LogText) -> ScriptOptions {
        var options = grants.options()
        options.log = { entry in log.write(entry) }
        options.makeTransport = { CurlTransport(options: $0) }
        return options
    }
}
