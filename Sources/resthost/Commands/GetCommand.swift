import ArgumentParser
import RestEngine
import RestScript

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Request one resource and print its content.",
        discussion: """
            The content goes to standard output, everything else to standard error. A script with one service \
            needs no SERVICE. PATH is joined to the service's base URL; an absolute URL is used as it is.

            Examples:
              resthost get config.lua /users/octocat
              resthost get config.lua github /users/octocat --include --timing
              resthost get config.lua github /issues -d '{"title":"Broken"}'
              resthost get config.lua github /issues/1 -X DELETE -H 'X-Reason: duplicate'
              resthost get config.lua /users/octocat --json | jq .status
              resthost get config.lua /users/octocat --curl
            """)

    @OptionGroup var script: ScriptArguments

    @Argument(help: ArgumentHelp("SERVICE and PATH, or PATH alone.", valueName: "[service] path"))
    var target: [String]

    @Option(
        name: .customShort("X"),
        help: ArgumentHelp("The method; POST when there is a body.", valueName: "method"))
    var method: String?

    @Option(
        name: .customShort("d"),
        help: ArgumentHelp("The body; @FILE reads a file, @- standard input.", valueName: "data"))
    var data: String?

    @Option(
        name: .customShort("H"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A request header; may be repeated.", valueName: "name: value"))
    var headers: [String] = []

    @Flag(help: "Print the whole outcome as one JSON object, failures too.")
    var json = false

    @Flag(help: "Print the body as the server sent it, without the script's transformers.")
    var raw = false

    @Flag(help: "Print status and headers of the response to standard error.")
    var include = false

    @Flag(help: "Print where the time went to standard error.")
    var timing = false

    @Flag(help: "Send nothing: print what the script's caches have, whatever its age.")
    var offline = false

    @Option(
        help: ArgumentHelp(
            "Write what is sent and answered to a HAR file, for a browser's developer tools.",
            valueName: "file"))
    var har: String?

    @OptionGroup var commandLine: CurlArguments

    func validate() throws {
        if let fault = ServiceTarget.fault(target) { throw ValidationError(fault) }
        if commandLine.curl, har != nil {
            throw ValidationError("--curl sends nothing, so there is nothing for --har")
        }
        for header in headers where !header.contains(":") {
            throw ValidationError("'\(header)' is not a header: it looks like 'Name: value'")
        }
        if let method, Method.normalized(method) == nil {
            throw ValidationError("'\(method)' is not a method: it looks like GET or DELETE")
        }
    }

    func run() throws {
        let options = try requestOptions()
        let code = MainThread.wait { @EngineActor in await request(options) }
        throw ExitCode(code)
    }

    private func requestOptions() throws -> RequestOptions {
        var options = RequestOptions()
        options.usesPipeline = !raw
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            options.headers.add(String(parts[0]), String(value))
        }
        guard let data else { return options }
        var bytes = Array(data.utf8)
        if data.hasPrefix("@") {
            let limit = 1 << 30
            do throws(FileError) {
                bytes =
                    try data == "@-"
                    ? WholeFile.readStandardInput(limit: limit)
                    : WholeFile.read(String(data.dropFirst()), limit: limit)
            } catch {
                Streams.error(Complaint.text(error.description))
                throw ExitCode(2)
            }
        }
        options.body = .bytes(bytes)
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if !options.headers.contains("Content-Type") {
            options.contentType = isJSON ? "application/json" : "application/x-www-form-urlencoded"
        }
        return options
    }

    @EngineActor
    private func request(_ options: RequestOptions) async -> Int32 {
        let method = method ?? (data == nil ? "GET" : "POST")
        let log = LogText()
        let traffic: Traffic
        do throws(Diagnostic) { traffic = try Traffic(har: har, log: log) } catch {
            Streams.error(DiagnosticText().text(error))
            return 2
        }
        guard
            let host = HostEngine.load(
                script, log: log, startsWork: !commandLine.curl, traffic: traffic, isOffline: offline),
            let target = ServiceTarget(target, of: host)
        else {
            traffic.abandon()
            return 2
        }
        let resource = target.resource
        resource.engine.recordsAddresses = timing || json
        if commandLine.curl { return commandLine.write(resource, Method(method), options) }
        let code = await send(to: resource, of: host, method, options)
        return traffic.finish() ? code : max(code, 1)
    }

    @EngineActor
    private func send(
        to resource: Resource, of host: ScriptHost, _ method: String, _ options: RequestOptions
    ) async -> Int32 {
        let isPlain = method == "GET" && data == nil && headers.isEmpty && !raw
        if offline, isPlain { return await readCached(resource, host) }
        let load = isPlain ? resource.loadIfNeeded() ?? resource.load() : nil
        let request = load ?? resource.request(Method(method), options)
        let info = await withCheckedContinuation { continuation in
            request.onCompletion { continuation.resume(returning: $0) }
        }
        await host.offloadedWorkIsDone()
        let output = GetOutput(
            isJSON: json, isRaw: raw, includesHead: include, includesTiming: timing,
            runningJobs: host.runningJobs)
        return output.write(info, of: request)
    }

    /// What is there, and how old it is.
    @EngineActor
    private func readCached(_ resource: Resource, _ host: ScriptHost) async -> Int32 {
        let result = await withCheckedContinuation { continuation in
            resource.readCached { continuation.resume(returning: $0) }
        }
        await host.offloadedWorkIsDone()
        let output = GetOutput(
            isJSON: json, isRaw: raw, includesHead: include, includesTiming: false, runningJobs: [])
        let request: Request
        switch result {
        case .success(let entity):
            let age = TimeSpan.text(max(0, InternetTime.now - entity.timestamp))
            Streams.error("offline: from the cache, \(age) old\n")
            request = Request(engine: resource.engine, outcome: .success(entity))
        case .failure(let error): request = Request(engine: resource.engine, outcome: .failure(error))
        }
        guard let info = request.info else { return 2 }
        return output.write(info, of: request)
    }
}
