import ArgumentParser
import RestEngine

struct InvalidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invalidate",
        abstract: "Have a running host run a service's configuration blocks again.",
        discussion: """
            Blocks run when their result is next needed; nothing else changes. Without a service all are meant.

            Examples:
              resthost invalidate github
            """)

    @Argument(help: ArgumentHelp("The service; default: all.", valueName: "service"))
    var service: String?

    @OptionGroup var host: HostSelection

    func run() throws {
        let (host, service) = (host, service)
        try HostCommand.run { () throws(AdminFailure) in
            let query = service.map { "?service=" + PercentEncoding.component(Array($0.utf8)) } ?? ""
            let answer = try await host.client().demand("invalidate" + query, method: "POST")
            let names = answer["services"]?.elements.compactMap(\.string) ?? []
            Streams.output(
                names.isEmpty
                    ? "there is no service\n"
                    : "invalidated \(names.joined(separator: ", ")): blocks run again when next needed\n")
            return 0
        }
    }
}
