import ArgumentParser
import RestEngine

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "What a running host is doing.",
        discussion: """
            Asks the only host that is running, or the one that is named: its script and generation, the last reload if it \
            failed, services, requests, jobs, memory.

            Examples:
              resthost status
              resthost status --pid 4711 --json
            """)

    @OptionGroup var host: HostSelection

    @Flag(help: "Print the status as JSON.")
    var json = false

    func run() throws {
        let (host, json) = (host, json)
        try HostCommand.run { () throws(AdminFailure) in
            let status = try await host.client().demand("status")
            if json {
                let json = PrettyJSON.format((try? status.json()) ?? [])
                Streams.output(json: String(decoding: json, as: UTF8.self))
            } else {
                Streams.output(StatusText().text(status))
            }
            return 0
        }
    }
}
