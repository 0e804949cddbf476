import ArgumentParser
import Platform
import RestEngine
import RestScript

/// Logs a person in for a service that uses the plugin `oauth2`.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, in a browser, for a service that uses the plugin oauth2.",
        discussion: """
            Loads the script, shows the address to open, and keeps the tokens where the option 'file' or 'store' of \
            the plugin says. The script's jobs and gateway don't start. A running host reads the tokens when it next \
            needs one.

            Examples:
              resthost login config.lua
              resthost login config.lua calendar
              resthost login config.lua calendar --paste
            """)

    @OptionGroup var script: ScriptArguments

    @Argument(help: ArgumentHelp("The service; needed when several use a login.", valueName: "service"))
    var service: String?

    @Flag(help: "Ask for the address that the browser was sent to, in place of listening for it.")
    var paste = false

    func run() throws {
        let code = MainThread.wait { @EngineActor in await work() }
        throw ExitCode(code)
    }

    @EngineActor
    private func work() async -> Int32 {
        guard let host = HostEngine.load(script.values, log: LogText(), startsJobs: false) else { return 2 }
        defer { host.close() }
        do {
            let login = ScriptLogin(host)
            let names = try login.names()
            guard let number = choice(among: names, in: host.path) else { return 2 }
            let terminal = TerminalLogin(listens: !paste)
            let failure = try await withCheckedThrowingContinuation { continuation in
                do {
                    try login.run(number, terminal) { continuation.resume(returning: $0) }
                } catch { continuation.resume(throwing: error) }
            }
            terminal.end()
            guard await host.offloadedWorkIsDone() else { return 1 }
            if let failure {
                Streams.error(Complaint.text("\(names[number - 1]): \(failure)"))
                return 1
            }
            Streams.error("logged in for \(names[number - 1])\n")
            return 0
        } catch {
            Streams.error(Complaint.text("\(error)"))
            return 2
        }
    }

    /// The place of the service in the list, from 1; nil when it is unclear, which has been reported.
    private func choice(among names: [String], in path: String) -> Int? {
        func fail(_ text: String) -> Int? {
            Streams.error(Complaint.text("\(path) \(text)"))
            return nil
        }
        guard !names.isEmpty else {
            return fail(
                "has no service that needs a login: use the plugin oauth2 with the option login = \"code\" or \"device\""
            )
        }
        if let service {
            return names.firstIndex(of: service).map { $0 + 1 }
                ?? fail("has no login for '\(service)'\(NearestName.advice(service, among: names))")
        }
        return names.count == 1
            ? 1 : fail("has several services with a login, name one of them: \(names.plainlyJoined(", "))")
    }
}
