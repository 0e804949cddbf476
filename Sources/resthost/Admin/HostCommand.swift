import ArgumentParser
import RestEngine

/// The way of all commands that speak to a running host.
enum HostCommand {
    /// Runs `body` on the engine loop; a failure is written to standard error, and its code is the program's.
    static func run(
        _ body: @escaping @Sendable @EngineActor () async throws(AdminFailure) -> Int32
    ) throws {
        let code = MainThread.wait { () async -> Int32 in
            do throws(AdminFailure) { return try await body() } catch {
                Streams.error(Complaint.text(error.message))
                return error.code
            }
        }
        throw ExitCode(code)
    }
}
