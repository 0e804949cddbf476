import RestEngine
import RestScript

extension GetValues {
    /// Sends the request, prints the outcome, and ends the process.
    func run() -> Never {
        guard let options = requestOptions() else { Streams.exit(2) }
        MainThread.leave { end in request(options, then: end) }
    }

    /// Nil when the body can't be read. The error has been printed.
    private func requestOptions() -> RequestOptions? {
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
                return nil
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
    private func request(_ options: RequestOptions, then end: @escaping @EngineActor (Int32) -> Void) {
        let method = method ?? (data == nil ? "GET" : "POST")
        let log = LogText()
        let traffic: Traffic
        do throws(Diagnostic) { traffic = try Traffic(har: har, log: log) } catch {
            Streams.error(DiagnosticText().text(error))
            return end(2)
        }
        guard
            let host = HostEngine.load(
                script, log: log, startsWork: !curl.isWanted, readsStores: curl.isWanted, traffic: traffic,
                isOffline: offline),
            let target = ServiceTarget(target, of: host)
        else {
            traffic.abandon()
            return end(2)
        }
        let resource = target.resource
        resource.engine.recordsAddresses = timing || json
        if curl.isWanted {
            return end(curl.write(resource, Method(method), options, jobs: host.runningJobs))
        }
        let begin = { @EngineActor in
            send(to: resource, of: host, method, options) { code in
                end(traffic.finish() ? code : max(code, 1))
            }
        }
        if offline { return begin() }
        let job = host.runningJobs.first ?? ""
        let progress = ProgressLine(on: resource.engine.scheduler) { "waiting for the job at \(job)" }
        host.whenStarted(within: Self.jobSeconds) { busy in
            progress?.end()
            if let job = busy.first {
                log.write(
                    ScriptLogEntry(
                        level: .warn,
                        text: "the job at \(job) still runs after \(Int(Self.jobSeconds)) s; "
                            + "the request doesn't wait for it any longer"))
            }
            begin()
        }
    }

    /// Seconds for jobs of the script before the request is sent; see docs/reference/limits.md, L320.
    private static let jobSeconds = 5.0

    @EngineActor
    private func send(
        to resource: Resource, of host: ScriptHost, _ method: String, _ options: RequestOptions,
        then end: @escaping @EngineActor (Int32) -> Void
    ) {
        let isPlain = method == "GET" && data == nil && headers.isEmpty && !raw
        if offline, isPlain { return readCached(resource, host, then: end) }
        let load = isPlain ? resource.loadIfNeeded() ?? resource.load() : nil
        let request = load ?? resource.request(Method(method), options)
        let line = "\(method) \(SecretMask.standard.url(resource.urlString))"
        let progress = ProgressLine(on: resource.engine.scheduler) {
            request.transferred.flatMap(ProgressLine.bytes).map { "\(line), \($0)" } ?? line
        }
        request.onCompletion { info in
            progress?.end()
            write(info, of: request, host, then: end)
        }
    }

    /// Prints the data of the caches and its age.
    @EngineActor
    private func readCached(
        _ resource: Resource, _ host: ScriptHost, then end: @escaping @EngineActor (Int32) -> Void
    ) {
        resource.readCached { result in
            let request: Request
            switch result {
            case .success(let entity):
                let age = TimeSpan.text(max(0, InternetTime.now - entity.timestamp))
                Streams.error("offline: from the cache, \(age) old\n")
                request = Request(engine: resource.engine, outcome: .success(entity))
            case .failure(let error): request = Request(engine: resource.engine, outcome: .failure(error))
            }
            guard let info = request.info else { return end(2) }
            write(info, of: request, host, then: end)
        }
    }

    /// Ends after other threads have finished their work for the script.
    @EngineActor
    private func write(
        _ info: ResponseInfo, of request: Request, _ host: ScriptHost,
        then end: @escaping @EngineActor (Int32) -> Void
    ) {
        Task { @EngineActor in
            let isKept = await host.offloadedWorkIsDone()
            let output = GetOutput(
                isJSON: json, isRaw: raw, includesHead: include, includesTiming: timing && !offline,
                runningJobs: host.runningJobs)
            let code = output.write(info, of: request)
            end(isKept ? code : max(code, 1))
        }
    }
}
