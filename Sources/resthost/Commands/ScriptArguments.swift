import ArgumentParser
import CurlTransport
import RestEngine
import RestScript
import SQLiteCache

/// The options of every command that loads a script.
struct ScriptArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The script.", valueName: "config.lua"), completion: Completions.script)
    var config: String

    @OptionGroup var grants: ScriptGrants

    static let log = OptionEntry.repeated(
        "log", "set,…", "The log of the engine: common, detailed, all, or categories such as network,cache.",
        completion: .list(EngineLog.Category.setNames))
    @Option(Self.log) var logSets: [String] = []

    var values: ScriptValues { ScriptValues(config: config, grants: grants.values, logSets: logSets) }

    func validate() throws {
        // The values of the group have been checked separately.
        if let fault = values.fault { throw ValidationError(fault) }
    }
}

/// The values of ``ScriptArguments``.
struct ScriptValues: Equatable {
    static var options: [OptionEntry] { GrantOptions.all + [ScriptArguments.log] }

    /// The path of the script.
    let config: String
    let grants: GrantValues
    let logSets: [String]

    /// The fault of the values, apart from the grants; nil when there is none.
    var fault: String? {
        for name in logNames where EngineLog.Category.set(named: name) == nil {
            return "--log knows no '\(name)': there are "
                + EngineLog.Category.setNames.joined(separator: ", ")
        }
        return nil
    }

    private var logNames: [String] { logSets.flatMap { $0.split(separator: ",").map(String.init) } }

    var logCategories: Set<EngineLog.Category> {
        logNames.reduce(into: []) { $0.formUnion(EngineLog.Category.set(named: $1) ?? []) }
    }

    func options(log: LogText) throws(Diagnostic) -> ScriptOptions {
        var options = try grants.options(for: config)
        options.log = { entry in log.write(entry) }
        options.onHang = { entry in log.write(entry) }
        options.makeTransport = { HostEngine.transport($0) }
        options.openStoresInFiles()
        return options
    }
}

extension ScriptValues {
    /// The script is the first word. Nil for invalid values.
    init?(_ line: PlainLine) {
        guard let config = line.words.first, let grants = GrantValues(line) else { return nil }
        self.init(config: config, grants: grants, logSets: line.values(ScriptArguments.log))
        guard grants.fault == nil, fault == nil else { return nil }
    }
}

/// The `[SERVICE] PATH` of a command line, resolved in a script.
@EngineActor
struct ServiceTarget {
    let service: Service
    let path: String

    /// - Parameter words: One or two words. Words that don't fit are reported, and the result is nil.
    init?(_ words: [String], of host: ScriptHost) {
        let name = words.count == 2 ? words[0] : nil
        guard let path = words.last, let service = Self.service(named: name, of: host) else { return nil }
        self.service = service
        self.path = path
    }

    var resource: Resource {
        // An invalid URL gives a resource whose requests fail with the reason.
        service.resource(absoluteURL: service.url(typed: path)?.string ?? path)
    }

    /// The fault in the number of words; nil when there is none.
    nonisolated static func fault(_ words: [String]) -> String? {
        words.count == 1 || words.count == 2
            ? nil : "Give a path, or a service and a path: got \(words.count) arguments"
    }

    private static func service(named name: String?, of host: ScriptHost) -> Service? {
        let names = host.services.map(\.name)
        if let name {
            if let service = host.service(named: name) { return service }
            complain(names, of: host, "has no service '\(name)'; it has: ")
            return nil
        }
        if host.services.count == 1 { return host.services[0] }
        complain(names, of: host, "has several services, name one of them: ")
        return nil
    }

    private static func complain(_ names: [String], of host: ScriptHost, _ message: String) {
        let text =
            names.isEmpty
            ? "declares no service: use rest.service{ name =, base_url = }"
            : message + names.joined(separator: ", ")
        Streams.error(Complaint.text("\(host.path) \(text)"))
    }
}
