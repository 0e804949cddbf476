import Platform
import RestScript

/// One table of `resthost.toml`: its keys, how they are read, and what the reference says of them.
struct SettingsTable {
    typealias Schema = OptionSchema<SettingsValue, SettingsFile>
    private typealias Field = OptionField<SettingsValue, SettingsFile>

    let sentence: String
    let schema: Schema

    var name: String { schema.name }

    static let all = [permissions, limits, secrets, log, traces, host, gateway, operators, shared, run]

    private static let permissions = SettingsTable(
        sentence: "Files, variables and hosts that the script may reach. A list replaces the default.",
        schema: Schema(
            "permissions",
            [
                .texts(
                    "read",
                    "Files, and folders with all below them, that the script may read; without it the script's own folder."
                ) { file, paths in file.read = paths.map(file.place) }.like(GrantOptions.allowRead),
                .texts(
                    "write",
                    "Files, and folders with all below them, that the script may write; without it the script's own folder, except programs."
                ) { file, paths in file.write = paths.map(file.place) }.like(GrantOptions.allowWrite),
                .texts("env", default: "[]", "Environment variables that the script may read.") {
                    $0.variables = $1
                }.like(GrantOptions.allowEnvironment),
                .texts(
                    "net",
                    "Hosts that requests may go to: `host`, `host:port`, `*.domain` or `unix:/socket`; without it those of the declared services."
                ) { file, names in
                    file.hosts = try names.map { name in
                        guard let host = HostGrant(name) else {
                            throw OptionFault(sentence: HostGrant.advice(name))
                        }
                        return host
                    }
                }.like(GrantOptions.allowNetwork),
                .flag("all", default: "false", "All files, variables and hosts.") { $0.allowsAll = $1 }
                    .like(GrantOptions.allowAll),
            ]))

    private static let limits = SettingsTable(
        sentence: """
            Memory, and CPU time of each kind of function: seconds in one go (`0.2`), in one go and in all
            (`"0.5/60"`), or `"none"`. A size is a number of bytes, or a text with `K`, `M` or `G` behind the number.
            """,
        schema: Schema(
            "limits",
            [
                size("memory", default: "\"256M\"", "Memory of the script.") { $0.memory = $1 }
                    .like(GrantOptions.memory),
                size(
                    "content-memory",
                    "Memory of what resources hold and what is on its way to them; without it a quarter of what the machine or the container has."
                ) { $0.contentMemory = $1 }.like(GrantOptions.contentMemory),
            ] + ScriptLimits.Phase.allCases.map(time)))

    private static let secrets = SettingsTable(
        sentence: "Names whose values are masked wherever resthost shows something.",
        schema: Schema(
            "secrets",
            [
                .texts(
                    "names", default: "[]",
                    "Headers, parameters, fields and variables that are secret, beside the usual names."
                ) { file, names in
                    file.secretNames = names
                    try file.checkSecrets("names", names)
                }.like("[`rest.secret`](lua-api.md#rest), for texts"),
                .texts("not-secret", default: "[]", "Names that look secret and are not.") { file, names in
                    file.plainNames = names
                    try file.checkSecrets("not-secret", names)
                },
            ]))

    private static let log = SettingsTable(
        sentence: "The access log of the gateway.",
        schema: Schema(
            "log",
            [
                .text("access", "A file that gets a line for each response of the gateway.") { file, path in
                    guard !path.isEmpty else { throw OptionFault("is the path of a file") }
                    file.accessLog = file.place(path)
                }.like("`--access-log`"),
                .choice("access-format", LogText.Format.self, default: .text, "The format of its lines.") {
                    $0.accessLogFormat = $1
                }.like("`--access-log-format`"),
            ]))

    private static let traces = SettingsTable(
        sentence: "Spans of requests, for OpenTelemetry.",
        schema: Schema(
            "traces",
            [
                .text("collector", "The URL of a collector (OTLP over HTTP) that gets the spans.") {
                    file, address in
                    do throws(TraceCollector.Fault) { _ = try TraceCollector(address) } catch {
                        throw OptionFault(sentence: "'collector': \(error.message)")
                    }
                    file.traces = address
                }.like("`--traces`")
            ]))

    private static let host = SettingsTable(
        sentence: "The processes of the host.",
        schema: Schema(
            "host",
            [
                Field(
                    "workers", type: "integer or text", default: "1",
                    "Processes that serve the script; `\"auto\"` is one for each processor."
                ) { value, file, _ in
                    guard let count = WorkerCount(argument: try value.text()) else {
                        throw OptionFault("is \(WorkerCount.range)")
                    }
                    file.workers = count
                }.like("`--workers`")
            ]))

    private static let gateway = SettingsTable(
        sentence: """
            Addresses and limits of the gateway, in place of those of `rest.gateway` in the script. Without a key the
            script's option counts.
            """,
        schema: Schema("gateway", GatewayOverrides.fields.map { $0.within { try $1(&$0.gateway) } }))

    private static let operators = SettingsTable(
        sentence: """
            Addresses for operators alone: metrics, events, resources and explanations of all services. Those of the
            gateway then keep `/-/health` and `/-/ready`. [Alerts](../operating/alerts.md) shows it with Prometheus.
            """,
        schema: Schema("operator", OperatorAddresses.fields))

    private static let shared = SettingsTable(
        sentence: """
            The memory that several hosts share, in place of that of `rest.shared` in the script. See
            [Shared memory](../guides/shared-memory.md).
            """,
        schema: Schema("shared", SharedSettings.fields))

    private static let run = SettingsTable(
        sentence: """
            Options of `resthost run`, which are read at the start of a host. A flag holds wherever one of file and
            command line sets it.
            """,
        schema: Schema("run", RunOptions.fields))

    // MARK: Kinds of values

    private static func size(
        _ name: String, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout SettingsFile, Int) -> Void
    ) -> Field {
        Field(name, type: "string | integer", default: standard, sentence) { value, file, _ in
            guard let bytes = ByteCount.memory(try value.text()) else {
                throw OptionFault("is a size of 1 MiB or more, such as \"512M\" or \"2GiB\"")
            }
            store(&file, bytes)
        }.taking(unit: "bytes", "1 MiB or more")
    }

    private static func time(_ phase: ScriptLimits.Phase) -> Field {
        let name = phase.rawValue
        let burst = ScriptLimits()[phase].burst
        let standard = Int(exactly: burst).map { "\($0)" } ?? "\(burst)"
        return Field(name, type: "number | string", default: standard, phase.sentence) { value, file, _ in
            let text = "\(name)=\(try value.text())"
            var limits = ScriptLimits()
            if let fault = limits.set(text) { throw OptionFault(sentence: fault) }
            file.limits.append(text)
        }.taking(unit: "seconds", "Above 0").like("`--limit \(name)=`")
    }
}

extension OptionField {
    /// The same as an option of the command line.
    fileprivate func like(_ entry: OptionEntry) -> Self { like("`--\(entry.name)`") }
}

extension SettingsFile {
    /// A name may be secret or not, and has a text.
    fileprivate func checkSecrets(_ key: String, _ names: [String]) throws(OptionFault) {
        if names.contains("") { throw OptionFault(sentence: "a name in '\(key)' is empty") }
        let both = Set(secretNames.map { $0.lowercased() })
        if let name = plainNames.first(where: { both.contains($0.lowercased()) }) {
            throw OptionFault(sentence: "'\(name)' is in 'names' and in 'not-secret'")
        }
    }
}

extension ScriptLimits.Phase {
    /// Names the functions that have the time, for people.
    fileprivate var sentence: String {
        switch self {
        case .load: "The script and its modules, while they are loaded."
        case .block: "A configuration block."
        case .predicate: "A function that decides at once, in place of a pattern or of `c.retry.when`."
        case .mutator: "A function of `c:mutate_requests`, or of `c.redirects.on`."
        case .decorator: "A function of `c:decorate_requests`."
        case .transformer: "A transformer."
        case .hook: "A hook, an observer, a function of a cache or of a definition."
        case .job: "A job, a timer, a route of the gateway."
        case .test: "A test of `resthost test`."
        }
    }
}
