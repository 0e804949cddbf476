import ArgumentParser
import RestEngine

/// The options that only ``GetCommand`` has.
enum GetOptions {
    static let method = OptionEntry.single(
        "X", "method", "The method; POST when there is a body.", completion: Completions.method)
    static let data = OptionEntry.single("d", "data", "The body; @FILE reads a file, @- standard input.")
    static let headers = OptionEntry.repeated("H", "name: value", "A request header; may be repeated.")
    static let json = OptionEntry.flag("json", "Print the whole outcome as one JSON object, failures too.")
    static let raw = OptionEntry.flag(
        "raw", "Print the body as the server sent it, without the script's transformers.")
    static let include = OptionEntry.flag(
        "include", "Print status and headers of the response to standard error.")
    static let timing = OptionEntry.flag("timing", "Print where the time went to standard error.")
    static let offline = OptionEntry.flag(
        "offline", "Send nothing: print data of any age from the script's caches.")
    static let har = OptionEntry.single(
        "har", "file", "Write requests and responses to a HAR file, for a browser's developer tools.",
        completion: Completions.recording)

    static var all: [OptionEntry] { [method, data, headers, json, raw, include, timing, offline, har] }
}

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Request one resource and print its content.",
        discussion: """
            The content goes to standard output, everything else to standard error. A script with one service \
            needs no SERVICE. PATH is joined to the service's base URL; an absolute URL is used as it is.

            The script's jobs start, and the request waits 5 seconds at most for those that request something \
            themselves, such as a token.

            Examples:
              resthost get config.lua /users/octocat
              resthost get config.lua github /users/octocat --include --timing
              resthost get config.lua github /issues -d '{"title":"Broken"}'
              resthost get config.lua github /issues/1 -X DELETE -H 'X-Reason: duplicate'
              resthost get config.lua /users/octocat --json | jq .status
              resthost get config.lua /users/octocat --curl
            """)

    @OptionGroup var script: ScriptArguments

    @Argument(
        help: ArgumentHelp("SERVICE and PATH, or PATH alone.", valueName: "[service] path"),
        completion: Completions.serviceOfScript)
    var target: [String]

    @Option(GetOptions.method) var method: String?
    @Option(GetOptions.data) var data: String?
    @Option(GetOptions.headers, parsing: .unconditionalSingleValue) var headers: [String] = []
    @Flag(GetOptions.json) var json = false
    @Flag(GetOptions.raw) var raw = false
    @Flag(GetOptions.include) var include = false
    @Flag(GetOptions.timing) var timing = false
    @Flag(GetOptions.offline) var offline = false
    @Option(GetOptions.har) var har: String?

    @OptionGroup var commandLine: CurlArguments

    var values: GetValues {
        GetValues(
            script: script.values, target: target, method: method, data: data, headers: headers, json: json,
            raw: raw, include: include, timing: timing, offline: offline, har: har, curl: commandLine.values)
    }

    func validate() throws {
        if let fault = values.fault { throw ValidationError(fault) }
    }

    func run() { values.run() }
}

/// The values of `get`'s command line, from either of the two parsers.
struct GetValues: Equatable {
    let script: ScriptValues
    let target: [String]
    let method: String?
    let data: String?
    let headers: [String]
    let json: Bool
    let raw: Bool
    let include: Bool
    let timing: Bool
    let offline: Bool
    let har: String?
    let curl: CurlValues

    /// The fault of the command line, apart from the faults of its groups; nil when there is none.
    var fault: String? {
        if let fault = ServiceTarget.fault(target) { return fault }
        if curl.isWanted, har != nil { return "--curl sends nothing, so there is nothing for --har" }
        for header in headers where !header.contains(":") {
            return "'\(header)' is not a header: it looks like 'Name: value'"
        }
        if let method, Method.normalized(method) == nil {
            return "'\(method)' is not a method: it looks like GET or DELETE"
        }
        return nil
    }
}

extension GetValues {
    static var options: [OptionEntry] {
        ScriptValues.options + GetOptions.all + [CurlArguments.curlFlag, CurlArguments.secretsFlag]
    }

    /// - Parameter arguments: The arguments of the program, with the command. The result is nil for other
    ///   commands, and for command lines that ArgumentParser has to read.
    init?(plain arguments: [String]) {
        guard arguments.first == "get", let line = PlainLine(arguments.dropFirst(), Self.options),
            let script = ScriptValues(line)
        else { return nil }
        self.init(
            script: script, target: Array(line.words.dropFirst()), method: line.value(GetOptions.method),
            data: line.value(GetOptions.data), headers: line.values(GetOptions.headers),
            json: line.has(GetOptions.json), raw: line.has(GetOptions.raw),
            include: line.has(GetOptions.include), timing: line.has(GetOptions.timing),
            offline: line.has(GetOptions.offline), har: line.value(GetOptions.har),
            curl: CurlValues(
                isWanted: line.has(CurlArguments.curlFlag), showsSecrets: line.has(CurlArguments.secretsFlag))
        )
        guard curl.fault == nil, fault == nil else { return nil }
    }
}
