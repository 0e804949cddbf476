import ArgumentParser
import CPlatform
import CurlTransport
import Platform
import RestEngine

/// Measures parts of the engine by themselves, for `make bench`. No release has it.
struct BenchProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resthost-bench",
        abstract: "Measure parts of the engine. Each command prints one line of JSON.",
        subcommands: [LoadsCommand.self, ConfigurationCommand.self, ResourcesCommand.self])
}

/// The entry of the program. Memory, descriptors, signals and the end are as `resthost` has them: they are
/// part of what is measured, and scripts/profile/leave.c counts on the last.
@main
enum Program {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        cplatform_keep_freed_memory()
        DescriptorLimit.raise()
        await BenchProgram.main()
        fflush(nil)
        _exit(0)
    }
}

extension Engine {
    /// An engine that sends as that of a host does.
    static func ofHost() -> Engine { Engine(transport: CurlTransport(mayLeaveLoop: true)) }
}
