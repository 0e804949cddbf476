import ArgumentParser
import RestEngine

/// The common part of all commands for a running host.
enum HostCommand {
    /// Runs `body` on the engine loop. An error is written to standard error, and its code is the exit code.
    static func run(
        _ body: @escaping @Sendable @EngineActor () async throws(AdminError) -> Int32
    ) throws {
        let code = MainThread.wait { () async -> Int32 in
            do throws(AdminError) { return try await body() } catch {
                Streams.error(Complaint.text(error.message))
                return error.code
            }
        }
        throw ExitCode(code)
    }
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the work of a running host.",
        discussion: """
            Shows the script and its generation, the last reload if it failed, services, requests, jobs and memory: of the \
            only running host, or of the one that --pid or --admin names.

            Examples:
              resthost status
              resthost status --pid 4711 --json
            """)

    @OptionGroup var host: HostSelection

    @Flag(help: "Print the status as JSON.")
    var json = false

    func run() throws {
        let (host, json) = (host, json)
        try HostCommand.run { () throws(AdminError) in
            let status = try await host.client().successfulAnswer(to: "status")
            if json {
                Streams.output(json: MaskedText(json: status).escaped(PrettyJSON.format))
            } else {
                Streams.output(StatusText().text(status))
            }
            return 0
        }
    }
}

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make a running host load its script again.",
        discussion: """
            When the script has an error, it is printed, the version that runs goes on, and the command exits with 2.

            Examples:
              resthost reload
              resthost reload --pid 4711
            """)

    @OptionGroup var host: HostSelection

    func run() throws {
        let host = host
        try HostCommand.run { () throws(AdminError) in
            // The load has a time limit of its own, and so has the work that may run before it.
            let answer = try await host.client().ask("reload", method: "POST", timeout: 120)
            if answer.status == 422, let message = answer.body["detail"]?.string {
                Streams.error(FailureReport(answer.body, message: message).text(.standardError))
                let number = answer.body["generation"]?.int.map { "generation \($0)" } ?? "what ran before"
                Streams.error("not reloaded: \(number) goes on\n")
                return 2
            }
            guard answer.status == 200, let number = answer.body["generation"]?.int else {
                throw AdminError(answer)
            }
            let seconds = answer.body["seconds"]?.double ?? 0
            Streams.output("generation \(number), loaded in \(Int((seconds * 1000).rounded())) ms\n")
            return 0
        }
    }
}

struct InvalidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invalidate",
        abstract: "Make a running host run the configuration blocks of a service again.",
        discussion: """
            Blocks run when their result is next needed; nothing else changes. Without a service, the blocks of all services \
            run again.

            Examples:
              resthost invalidate github
            """)

    @Argument(
        help: ArgumentHelp("The service; default: all.", valueName: "service"),
        completion: Completions.serviceOfHost)
    var service: String?

    @OptionGroup var host: HostSelection

    func run() throws {
        let (host, service) = (host, service)
        try HostCommand.run { () throws(AdminError) in
            let query = service.map { "?service=" + PercentEncoding.component(Array($0.utf8)) } ?? ""
            let answer = try await host.client().successfulAnswer(to: "invalidate" + query, method: "POST")
            let names = answer["services"]?.elements.compactMap(\.string) ?? []
            Streams.output(
                names.isEmpty
                    ? "there is no service\n"
                    : "invalidated \(names.joined(separator: ", ")): blocks run again when next needed\n")
            return 0
        }
    }
}

struct WipeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe",
        abstract: "Make a running host forget the data that it loaded.",
        discussion: """
            The resources lose their data, in the caches too, and requests in flight are cancelled. A pattern is a glob as in \
            configuration blocks; without one all of the service's resources are wiped.

            Examples:
              resthost wipe github
              resthost wipe github '/users/**'
              resthost wipe shop --partition ada
            """)

    @Argument(
        help: ArgumentHelp("The service.", valueName: "service"), completion: Completions.serviceOfHost)
    var service: String

    @Argument(help: ArgumentHelp("The pattern of the resources; default: all.", valueName: "pattern"))
    var pattern: String?

    @Option(help: ArgumentHelp("Only the resources of this partition.", valueName: "name"))
    var partition: String?

    @OptionGroup var host: HostSelection

    func run() throws {
        let (host, service, pattern, partition) = (host, service, pattern, partition)
        try HostCommand.run { () throws(AdminError) in
            var query = "?service=" + PercentEncoding.component(Array(service.utf8))
            if let pattern { query += "&pattern=" + PercentEncoding.component(Array(pattern.utf8)) }
            if let partition { query += "&partition=" + PercentEncoding.component(Array(partition.utf8)) }
            let answer = try await host.client().successfulAnswer(to: "wipe" + query, method: "POST")
            let count = answer["resources"]?.int ?? 0
            Streams.output("wiped \(count) resource\(count == 1 ? "" : "s") of \(service)\n")
            return 0
        }
    }
}
