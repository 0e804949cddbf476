import ArgumentParser
import RestEngine

struct WipeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe",
        abstract: "Have a running host forget what it loaded.",
        discussion: """
            The resources lose their data, in the caches too, and requests in flight are cancelled. A pattern is a glob as in \
            configuration blocks; without one all of the service's resources are wiped.

            Examples:
              resthost wipe github
              resthost wipe github '/users/**'
            """)

    @Argument(help: ArgumentHelp("The service.", valueName: "service"))
    var service: String

    @Argument(help: ArgumentHelp("Which of its resources; default: all.", valueName: "pattern"))
    var pattern: String?

    @OptionGroup var host: HostSelection

    func run() throws {
        let (host, service, pattern) = (host, service, pattern)
        try HostCommand.run { () throws(AdminFailure) in
            var query = "?service=" + PercentEncoding.component(Array(service.utf8))
            if let pattern { query += "&pattern=" + PercentEncoding.component(Array(pattern.utf8)) }
            let answer = try await host.client().demand("wipe" + query, method: "POST")
            let count = answer["resources"]?.int ?? 0
            Streams.output("wiped \(count) resource\(count == 1 ? "" : "s") of \(service)\n")
            return 0
        }
    }
}
