import ArgumentParser
import Platform
import RestFixtures

struct FixturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fixtures",
        abstract: "Serve a folder of JSON files as a small REST API.",
        discussion: """
            DIR/users/octocat.json is GET /users/octocat. A folder is the list of its items, unless \
            users.json or users/index.json is that list. POST, PUT, PATCH and DELETE work and are \
            forgotten at the end.

            Any path takes ?delay=SECONDS, ?status=NUMBER, and lists ?page=N&per_page=M. Paths below \
            /private, and those that match a line of DIR/.protected when the server starts, need a token \
            from POST /-/login: any user and password get one.

            Examples:
              resthost fixtures examples/quickstart/fixtures
              resthost fixtures api --listen 127.0.0.1:8081 --token-lifetime 5
              curl -d '{"user":"me","password":"x"}' http://127.0.0.1:8081/-/login
            """)

    @Argument(help: ArgumentHelp("The folder to serve.", valueName: "dir"), completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("Where to listen; port 0 is chosen by the system.", valueName: "host:port"))
    var listen = "127.0.0.1:0"

    @Option(help: ArgumentHelp("After how many seconds a token expires.", valueName: "seconds"))
    var tokenLifetime = 60.0

    @Flag(help: "Print only the address.")
    var quiet = false

    func validate() throws {
        guard tokenLifetime.isFinite, tokenLifetime > 0 else {
            throw ValidationError("--token-lifetime must be a number of seconds above 0")
        }
    }

    func run() throws {
        do { try serve() } catch let error as FixtureServerError {
            Streams.error(Complaint.text("\(error)"))
            throw ExitCode(2)
        }
    }

    private func serve() throws {
        let signals = ProcessSignals(ProcessSignals.terminating)
        signal(SIGPIPE, SIG_IGN)
        let server = try FixtureServer.start(folder: folder, listen: listen, tokenLifetime: tokenLifetime)
        // Both are written in one piece, because a program that waits for the first line may stop reading
        // after it.
        Streams.output("listening on \(server.url)\n" + (quiet ? "" : server.listing + "\n"))
        _ = signals.next()
        signals.stopCatchingTermination()
        try server.stop()
    }
}
