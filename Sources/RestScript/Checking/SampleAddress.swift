import RestEngine

/// What went wrong when a block was tried out on an address made from its pattern.
@EngineActor
enum SampleAddress {
    static func diagnostic(of failure: RequestError, in entry: ConfigurationEntry, url: URLText) -> Diagnostic
    {
        if case .scriptError(let script)? = failure.cause { return diagnostic(of: script, entry, url) }
        if case .scriptLimit(_, _, _, let script)? = failure.cause {
            return diagnostic(of: script, entry, url)
        }
        let place = entry.origin.map(place(of:))
        return Diagnostic(.error, code: "block", "\(failure)", file: place?.file, line: place?.line)
    }

    /// `file:line` in its parts.
    static func place(of origin: String) -> (file: String, line: Int?) {
        guard let colon = origin.lastIndex(of: ":") else { return (origin, nil) }
        return (String(origin[..<colon]), Int(origin[origin.index(after: colon)...]))
    }

    private static func diagnostic(
        of failure: RequestError.ScriptFailure, _ entry: ConfigurationEntry, _ url: URLText
    ) -> Diagnostic {
        Diagnostic(
            .error, code: "block", failure.message, file: failure.file, line: failure.line,
            traceback: failure.traceback,
            hint: "this happens when the block is run, for instance for \(url.string)")
    }
}
