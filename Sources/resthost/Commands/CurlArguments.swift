import ArgumentParser
import RestEngine

/// `--curl`: the request as a command line, in place of sending or explaining it.
struct CurlArguments: ParsableArguments {
    @Flag(help: "Print the request as a curl command line for a POSIX shell, and send nothing.")
    var curl = false

    @Flag(
        name: .customLong("with-secrets"),
        help: "Show secrets in that command line, so that it runs as it is.")
    var showsSecrets = false

    func validate() throws {
        if showsSecrets, !curl { throw ValidationError("--with-secrets goes with --curl") }
    }

    /// The exit code: 1 for a request that could not be sent.
    @EngineActor
    func write(_ resource: Resource, _ method: Method, _ options: RequestOptions = RequestOptions()) -> Int32
    {
        do {
            let command = try resource.curl(method, options, mask: showsSecrets ? nil : .standard)
            // Not as text, which is masked once more.
            Streams.output(content: Array("\(command)\n".utf8))
            return 0
        } catch {
            Streams.error(Complaint.text("\(error)"))
            return 1
        }
    }
}
