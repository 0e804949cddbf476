import ArgumentParser
import RestEngine

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have a running host load its script anew.",
        discussion: """
            Nothing changes, and the command exits with 2, when the script is no good; what is wrong with it is printed.

            Examples:
              resthost reload
              resthost reload --pid 4711
            """)

    @OptionGroup var host: HostSelection

    func run() throws {
        let host = host
        try HostCommand.run { () throws(AdminFailure) in
            // Loading has a budget of its own; what else may be under way before it has one as well.
            let answer = try await host.client().ask("reload", method: "POST", patience: 120)
            if answer.status == 422, let message = answer.body["detail"]?.string {
                Streams.error(FailureReport(answer.body, message: message).text(.standardError))
                let number = answer.body["generation"]?.int.map { "generation \($0)" } ?? "what ran before"
                Streams.error("not reloaded: \(number) goes on\n")
                return 2
            }
            guard answer.status == 200, let number = answer.body["generation"]?.int else {
                throw AdminFailure(answer)
            }
            let seconds = answer.body["seconds"]?.double ?? 0
            Streams.output("generation \(number), loaded in \(Int((seconds * 1000).rounded())) ms\n")
            return 0
        }
    }
}
