import ArgumentParser
import CurlTransport
import RestEngine
import RestScript
import SQLiteCache

/// The options of every command that loads a script.
struct ScriptArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The script.", valueName: "config.lua"), completion: .file(extensions: ["lua"]))
    var config: String

    @OptionGroup var grants: ScriptGrants

    @Option(
        name: .customLong("log"),
        help: ArgumentHelp(
            "What the engine logs: common, detailed, all, or categories such as network,cache.",
            valueName: "set,…"))
    var logSets: [String] = []

    func validate() throws {
        for name in logNames where EngineLog.Category.set(named: name) == nil {
            throw ValidationError(
                "--log knows no '\(name)': there are "
                    + EngineLog.Category.setNames.joined(separator: ", "))
        }
    }

    private var logNames: [String] { logSets.flatMap { $0.split(separator: ",").map(String.init) } }

    var logCategories: Set<EngineLog.Category> {
        logNames.reduce(into: []) { $0.formUnion(EngineLog.Category.set(named: $1) ?? []) }
    }

    func options(log: LogText) throws(Diagnostic) -> ScriptOptions {
        var options = try grants.options(for: config)
        options.log = { entry in log.write(entry) }
        options.onWedge = { entry in log.write(entry) }
        options.makeTransport = { CurlTransport(options: $0) }
        options.makeSQLiteCache = { try SQLiteCache($0) }
        options.openStoresInFiles()
        return options
    }
}
