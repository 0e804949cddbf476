import ArgumentParser

@main
struct Resthost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resthost",
        abstract: "A scriptable REST host.",
        discussion: """
            Examples:
              resthost fixtures examples/quickstart/fixtures
              resthost help fixtures
            """,
        subcommands: [FixturesCommand.self])
}
