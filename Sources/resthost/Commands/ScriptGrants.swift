import ArgumentParser
import Platform
import RestScript

/// The options of ``ScriptGrants``.
enum GrantOptions {
    static let luaPath = OptionEntry.repeated(
        "lua-path", "folder", "Another folder for require; may be repeated.", completion: .directory)
    static let allowRead = OptionEntry.repeated(
        "allow-read", "path",
        "A file, or a folder with all below it, that the script may read; may be repeated; default: the script's own "
            + "folder.", completion: .file())
    static let allowWrite = OptionEntry.repeated(
        "allow-write", "path",
        "A file, or a folder with all below it, that the script may write; may be repeated; default: the script's own "
            + "folder, except programs.", completion: .file())
    static let allowEnvironment = OptionEntry.repeated(
        "allow-env", "name,…", "Environment variables that the script may read.")
    static let allowNetwork = OptionEntry.repeated(
        "allow-net", "host,…",
        "The only hosts that requests may go to: host, host:port, *.domain or unix:/socket; default: the hosts of "
            + "the declared services.")
    static let allowAll = OptionEntry.flag(
        "allow-all", "Let the script read and write all files, variables and hosts.")
    static let limit = OptionEntry.repeated(
        "limit", "phase=seconds",
        "CPU time of one kind of function, in one go and in all, such as transformer=0.2 or job=0.5/60; may be "
            + "repeated.")
    static let transformerThreads = OptionEntry.single(
        "transformer-threads", "n",
        "Threads for transformer modules; default: one for each processor that the host may use.")
    static let memory = OptionEntry.single("memory", "size", "Memory of the script, such as 512M.")
    static let contentMemory = OptionEntry.single(
        "content-memory", "size",
        "Memory for the content of resources and of responses on their way; default: a quarter of the memory of "
            + "this machine or container.")

    static var all: [OptionEntry] {
        [
            luaPath, allowRead, allowWrite, allowEnvironment, allowNetwork, allowAll, limit,
            transformerThreads,
            memory, contentMemory,
        ]
    }
}

/// The permissions and limits of scripts, in every command that runs one.
struct ScriptGrants: ParsableArguments {
    @Option(GrantOptions.luaPath) var modulePaths: [String] = []
    @Option(GrantOptions.allowRead) var readable: [String] = []
    @Option(GrantOptions.allowWrite) var writable: [String] = []
    @Option(GrantOptions.allowEnvironment) var allowedEnvironment: [String] = []
    @Option(GrantOptions.allowNetwork) var allowedHosts: [String] = []
    @Flag(GrantOptions.allowAll) var allowsAll = false
    @Option(GrantOptions.limit) var limits: [String] = []
    @Option(GrantOptions.transformerThreads) var transformerThreads: Int?
    @Option(GrantOptions.memory) var memory: String?
    @Option(GrantOptions.contentMemory) var contentMemory: String?

    var values: GrantValues {
        GrantValues(
            modulePaths: modulePaths, readable: readable, writable: writable,
            allowedEnvironment: allowedEnvironment, allowedHosts: allowedHosts, allowsAll: allowsAll,
            limits: limits, transformerThreads: transformerThreads, memory: memory,
            contentMemory: contentMemory)
    }

    func validate() throws {
        if let fault = values.fault { throw ValidationError(fault) }
    }
}

/// The values of ``ScriptGrants``. They replace those of ``SettingsFile``.
struct GrantValues: Equatable {
    let modulePaths: [String]
    let readable: [String]
    let writable: [String]
    let allowedEnvironment: [String]
    let allowedHosts: [String]
    let allowsAll: Bool
    let limits: [String]
    let transformerThreads: Int?
    let memory: String?
    let contentMemory: String?

    /// The values of a command line without any of the options.
    static let none = GrantValues(
        modulePaths: [], readable: [], writable: [], allowedEnvironment: [], allowedHosts: [],
        allowsAll: false,
        limits: [], transformerThreads: nil, memory: nil, contentMemory: nil)

    /// The fault of the values; nil when there is none.
    var fault: String? {
        var checked = ScriptLimits()
        for limit in limits {
            if let fault = checked.set(limit) { return "--limit \(limit): \(fault)" }
        }
        for (name, size) in [("memory", memory), ("content-memory", contentMemory)] {
            guard let size, ByteCount.memory(size) == nil else { continue }
            return "--\(name) \(size): write a size of 1M or more, such as 512M or 1G"
        }
        if let transformerThreads, !(1...256).contains(transformerThreads) {
            return "--transformer-threads \(transformerThreads): write a number from 1 to 256"
        }
        for host in Self.names(allowedHosts) where HostGrant(host) == nil {
            return "--allow-net \(HostGrant.advice(host))"
        }
        return nil
    }

    /// The options for a script, with the settings in the file beside it.
    func options(for script: String) throws(Diagnostic) -> ScriptOptions {
        let file = try SettingsFile.beside(script)
        var options = ScriptOptions()
        options.modulePaths = modulePaths + file.run.modulePaths
        options.secretNames = file.secretNames
        options.plainNames = file.plainNames
        options.shared = file.shared.settings
        options.transformerThreads = transformerThreads ?? file.run.transformerThreads
        options.memoryLimit = memory.flatMap(ByteCount.memory) ?? file.memory ?? options.memoryLimit
        options.contentMemoryLimit = contentMemory.flatMap(ByteCount.memory) ?? file.contentMemory
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

    /// Warnings for folders of --lua-path that do not exist. Otherwise they would be ignored silently.
    var missingFolders: [Diagnostic] {
        modulePaths.filter { !WorkingFolder.hasFolder($0) }.map { path in
            Diagnostic(
                .warning, code: "missing_lua_path", "there is no folder '\(path)', which --lua-path names",
                hint: "relative paths begin in the current folder")
        }
    }

    private static func names(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",").map(String.init) }
    }
}

extension GrantValues {
    /// Nil for an invalid number.
    init?(_ line: PlainLine) {
        let threads = line.value(GrantOptions.transformerThreads)
        let count = threads.flatMap { Int($0) }
        guard threads == nil || count != nil else { return nil }
        self.init(
            modulePaths: line.values(GrantOptions.luaPath), readable: line.values(GrantOptions.allowRead),
            writable: line.values(GrantOptions.allowWrite),
            allowedEnvironment: line.values(GrantOptions.allowEnvironment),
            allowedHosts: line.values(GrantOptions.allowNetwork), allowsAll: line.has(GrantOptions.allowAll),
            limits: line.values(GrantOptions.limit), transformerThreads: count,
            memory: line.value(GrantOptions.memory), contentMemory: line.value(GrantOptions.contentMemory))
    }
}

/// The environment variables that were granted to the script.
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
