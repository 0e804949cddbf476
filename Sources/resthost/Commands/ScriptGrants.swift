import ArgumentParser
import Platform
import RestScript

/// What the command line lets scripts reach and use, in every command that runs any. What it names takes the
/// place of what ``SettingsFile`` says about it.
struct ScriptGrants: ParsableArguments {
    @Option(
        name: .customLong("lua-path"),
        help: ArgumentHelp("Another folder for require; may be repeated.", valueName: "folder"))
    var modulePaths: [String] = []

    @Option(
        name: .customLong("allow-read"),
        help: ArgumentHelp(
            "A file, or a folder with all below it, that the script may read; may be repeated; default: the script's own "
                + "folder.",
            valueName: "path"))
    var readable: [String] = []

    @Option(
        name: .customLong("allow-write"),
        help: ArgumentHelp(
            "A file, or a folder with all below it, that the script may write; may be repeated; default: the script's own "
                + "folder, except programs.",
            valueName: "path"))
    var writable: [String] = []

    @Option(
        name: .customLong("allow-env"),
        help: ArgumentHelp("Environment variables that the script may read.", valueName: "name,…"))
    var allowedEnvironment: [String] = []

    @Option(
        name: .customLong("allow-net"),
        help: ArgumentHelp(
            "The only hosts that requests may go to: host, host:port, *.domain or unix:/socket; default: the hosts of "
                + "the declared services.", valueName: "host,…"))
    var allowedHosts: [String] = []

    @Flag(
        name: .customLong("allow-all"), help: "Let the script read and write all files, variables and hosts.")
    var allowsAll = false

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "CPU time of one kind of function, in one go and in all, such as transformer=0.2 or job=0.5/60; may be "
                + "repeated.", valueName: "phase=seconds"))
    var limits: [String] = []

    @Option(
        help: ArgumentHelp(
            "Threads for transformer modules; default: as many as there are processors.", valueName: "n"))
    var transformerThreads: Int?

    @Option(help: ArgumentHelp("Memory of the script, such as 512M.", valueName: "size"))
    var memory: String?

    @Option(
        name: .customLong("content-memory"),
        help: ArgumentHelp(
            "Memory of what resources hold and what is on its way to them; default: a quarter of what this machine or "
                + "container has.", valueName: "size"))
    var contentMemory: String?

    func validate() throws {
        var checked = ScriptLimits()
        for limit in limits {
            if let fault = checked.set(limit) { throw ValidationError("--limit \(limit): \(fault)") }
        }
        for (name, size) in [("memory", memory), ("content-memory", contentMemory)] {
            guard let size, ByteSize.parse(size) == nil else { continue }
            throw ValidationError("--\(name) \(size): write a size of 1M or more, such as 512M or 1G")
        }
        if let transformerThreads, !(1...256).contains(transformerThreads) {
            throw ValidationError("--transformer-threads \(transformerThreads): write a number from 1 to 256")
        }
        for host in Self.names(allowedHosts) where HostGrant(host) == nil {
            throw ValidationError("--allow-net \(HostGrant.advice(host))")
        }
    }

    /// For a script, and with the settings beside it.
    func options(for script: String) throws(Diagnostic) -> ScriptOptions {
        let file = try SettingsFile.beside(script)
        var options = ScriptOptions()
        options.modulePaths = modulePaths
        options.secretNames = file.secretNames
        options.transformerThreads = transformerThreads
        options.memoryLimit = memory.flatMap(ByteSize.parse) ?? file.memory ?? options.memoryLimit
        options.contentMemoryLimit = contentMemory.flatMap(ByteSize.parse) ?? file.contentMemory
        for limit in file.limits + limits { _ = options.limits.set(limit) }
        if allowsAll || file.allowsAll {
            options.capabilities = .all
            options.grantedEnvironment = nil
            options.environment = ProcessVariables.all
            return options
        }
        let names = allowedEnvironment.isEmpty ? file.variables ?? [] : Self.names(allowedEnvironment)
        options.grantedEnvironment = Set(names)
        options.environment = ProcessVariables.values(of: names)
        if let paths = readable.isEmpty ? file.read : readable { options.capabilities.read = .below(paths) }
        if let paths = writable.isEmpty ? file.write : writable { options.capabilities.write = .below(paths) }
        let hosts = allowedHosts.isEmpty ? file.hosts : Self.names(allowedHosts).compactMap { HostGrant($0) }
        options.capabilities.hosts = hosts.map { .only($0) } ?? .declared
        return options
    }

    /// Folders of --lua-path that aren't there: nothing is found in them, and nobody is told.
    var missingFolders: [Diagnostic] {
        modulePaths.filter { !WorkingFolder.hasFolder($0) }.map { path in
            Diagnostic(
                .warning, code: "missing_lua_path", "there is no folder '\(path)', which --lua-path names",
                hint: "relative paths begin in the folder that the command is given in")
        }
    }

    private static func names(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",").map(String.init) }
    }
}

/// The variables of the environment, as far as they were granted to the script.
enum ProcessVariables {
    static func values(of names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }

    static var all: [String: String] {
        var values: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                values[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return values
    }
}
