import ArgumentParser
import RestEngine

/// `--curl`: prints the request as a command line, and does not send or explain it.
struct CurlArguments: ParsableArguments {
    static let curlFlag = OptionEntry.flag(
        "curl", "Print the request as a curl command line for a POSIX shell, and send nothing.")
    static let secretsFlag = OptionEntry.flag(
        "with-secrets", "Show secrets in that command line, so that it runs as it is.")

    @Flag(Self.curlFlag) var curl = false
    @Flag(Self.secretsFlag) var showsSecrets = false

    var values: CurlValues { CurlValues(isWanted: curl, showsSecrets: showsSecrets) }

    func validate() throws {
        if let fault = values.fault { throw ValidationError(fault) }
    }
}

/// The values of ``CurlArguments``.
struct CurlValues: Equatable {
    let isWanted: Bool
    let showsSecrets: Bool

    var fault: String? { showsSecrets && !isWanted ? "--with-secrets goes with --curl" : nil }

    /// Prints the command and returns the exit code: 1 for a request that could not be sent.
    ///
    /// - Parameter jobs: The places of the script's jobs, which don't run.
    @EngineActor
    func write(
        _ resource: Resource, _ method: Method, _ options: RequestOptions = RequestOptions(), jobs: [String]
    ) -> Int32 {
        do {
            let (command, warnings) = try resource.curlAfterDecorators(
                method, options, mask: showsSecrets ? nil : .standard)
            // It is printed as content, because text would be masked once more.
            Streams.output(content: Array("\(command)\n".utf8))
            for warning in warnings { warn(warning) }
            if showsSecrets, let job = jobs.first {
                let more = jobs.count > 1 ? " and \(jobs.count - 1) more have not run" : " has not run"
                warn("the job at \(job)\(more): a token that it fetches is missing here")
            }
            return 0
        } catch {
            Streams.error(Complaint.text("\(error)"))
            return 1
        }
    }

    private func warn(_ text: String) {
        Streams.error("\(Style.standardError.yellow("warning:")) \(VisibleText.lines(text, indent: "  "))\n")
    }
}
