import Platform

/// The settings of `[run]` in `resthost.toml`: options of `resthost run` by their names. They are read at the
/// start of a host.
struct RunOptions {
    private(set) var admin: String?
    private(set) var dev: Bool?
    private(set) var drain: Double?
    private(set) var drainDelay: Double?
    private(set) var har: String?
    private(set) var inspect: Bool?
    private(set) var log: [String] = []
    private(set) var logFormat: LogText.Format?
    private(set) var logTime: Bool?
    private(set) var modulePaths: [String] = []
    private(set) var metrics: Bool?
    private(set) var offline: Bool?
    private(set) var quiet: Bool?
    private(set) var record: String?
    private(set) var replay: String?
    private(set) var transformerThreads: Int?
    private(set) var verbose: Bool?
    private(set) var watch: Bool?

    private typealias Field = OptionField<SettingsValue, SettingsFile>

    static let fields: [OptionField<SettingsValue, SettingsFile>] = [
        path("admin", "The Unix socket that takes commands, or `\"off\"`.") { file, path in
            file.run.admin = path == "off" ? path : file.place(path)
        },
        flag("dev", "Clients see the message and the line of an error of the script.") { $0.run.dev = $1 },
        .seconds(
            "drain", .between(0, 86_400), default: "5", "Time for requests and jobs in flight at the end."
        ) { $0.run.drain = $1 }.like("`--drain`"),
        .seconds(
            "drain-delay", .between(0, 86_400), default: "0",
            "Time at the end in which `/-/ready` says no, while requests are served."
        ) { $0.run.drainDelay = $1 }.like("`--drain-delay`"),
        path("har", "A HAR file that gets requests and responses.") { $0.run.har = $0.place($1) },
        flag("inspect", "Shows the host in a browser.") { $0.run.inspect = $1 },
        .texts("log", default: "[]", "The log of the engine: sets or categories.") { file, names in
            let values = ScriptValues(config: "", grants: .none, logSets: names)
            if let fault = values.fault { throw OptionFault(sentence: fault) }
            file.run.log = names
        }.like("`--log`"),
        .choice("log-format", LogText.Format.self, default: .text, "The format of log lines.") {
            $0.run.logFormat = $1
        }.like("`--log-format`"),
        flag(
            "log-time", default: "true", as: nil,
            "Log lines begin with the time, as `--log-time` says; by default not in systemd's journal."
        ) { $0.run.logTime = $1 },
        .texts("lua-path", default: "[]", "Further folders for `require`, of every command.") { file, paths in
            file.run.modulePaths = paths.map(file.place)
        }.like("`--lua-path`"),
        flag("metrics", "Counts for `/-/metrics` from the start.") { $0.run.metrics = $1 },
        flag("offline", "Sends nothing.") { $0.run.offline = $1 },
        flag("quiet", "Writes only the errors of the log.") { $0.run.quiet = $1 },
        path("record", "A recording (HAR) to write.") { $0.run.record = $0.place($1) },
        path("replay", "A recording (HAR) that answers.") { $0.run.replay = $0.place($1) },
        .count("transformer-threads", from: 1, to: 256, "Threads for transformer modules, of every command.")
        {
            $0.run.transformerThreads = $1
        }.like("`--transformer-threads`"),
        flag("verbose", "Prints the path of the admin socket, and the files that are watched.") {
            $0.run.verbose = $1
        },
        flag(
            "watch", default: "true", as: "--no-watch",
            "Loads the script again when one of its files changes."
        ) {
            $0.run.watch = $1
        },
    ]

    /// - Parameter option: The option of the command line; its name is the usual one.
    private static func flag(
        _ name: String, default standard: String = "false", as option: String? = "--", _ sentence: String,
        _ store: @escaping @Sendable (inout SettingsFile, Bool) -> Void
    ) -> Field {
        let field = Field(name, type: "boolean", default: standard, sentence) { value, file, _ in
            if let flag = try value.boolean(name) { store(&file, flag) }
        }
        return option.map { field.like("`\($0 == "--" ? "--\(name)" : $0)`") } ?? field
    }

    private static func path(
        _ name: String, _ sentence: String,
        _ store: @escaping @Sendable (inout SettingsFile, String) -> Void
    ) -> Field {
        Field.text(name, sentence) { file, path in
            guard !path.isEmpty else { throw OptionFault("is the path of a file") }
            store(&file, path)
        }.like("`--\(name)`")
    }
}

extension RunCommand {
    /// Takes options from the file that the command line doesn't have.
    mutating func add(_ file: SettingsFile) {
        let run = file.run
        admin = admin ?? run.admin
        dev = dev || run.dev ?? false
        drain = drain ?? run.drain
        drainDelay = drainDelay ?? run.drainDelay
        inspect = inspect || run.inspect ?? false
        if script.logSets.isEmpty { script.logSets = run.log }
        logFormat = logFormat ?? run.logFormat
        logTime = logTime ?? run.logTime
        metrics = metrics || run.metrics ?? false
        offline = offline || run.offline ?? false
        quiet = quiet || run.quiet ?? false
        verbose = verbose || run.verbose ?? false
        watch = watch ?? run.watch
        // One of these says what the others are for.
        if har == nil, record == nil, replay == nil {
            (har, record, replay) = (run.har, run.record, run.replay)
        }
    }
}
