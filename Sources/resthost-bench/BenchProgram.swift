import ArgumentParser
import CPlatform
import CurlTransport
import Platform
import RestEngine

/// Measures single parts of the engine, for `make bench`. It is not part of a release.
struct BenchProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resthost-bench",
        abstract: "Measure parts of the engine. Each command prints one line of JSON.",
        subcommands: [
            LoadsCommand.self, ConfigurationCommand.self, ResourcesCommand.self, SharedCommand.self,
        ])
}

/// The entry of the program. Memory, descriptors, signals and the end are as in `resthost`, because they are
/// part of the measurement; scripts/profile/leave.c depends on the end.
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
    /// An engine with the transport of a host.
    static func ofHost() -> Engine { Engine(transport: CurlTransport(mayLeaveLoop: true)) }
}
