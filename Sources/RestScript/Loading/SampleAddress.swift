import RestEngine

/// Addresses for trying blocks out: the pattern with its wildcards filled in.
@EngineActor
enum SampleAddress {
    static func url(for pattern: URLPattern, of service: Service) -> URLText? {
        let base = service.baseURL?.url
        switch pattern {
        case .resource(let url): return url
        case .glob(let glob):
            let filled = glob.text.replacing("**/", with: "").replacing("**", with: "x").replacing(
                "*", with: "x"
            )
            .replacing("?", with: "x")
            if let url = URLText(filled), url.isHTTP { return url }
            return base?.appendingPath(filled)
        case .all, .regex, .predicate: return base ?? URLText("http://localhost/")
        }
    }

    static func diagnostic(of failure: RequestError, in entry: ConfigurationEntry, url: URLText) -> Diagnostic
    {
        if case .scriptError(let script)? = failure.cause { return diagnostic(of: script, entry, url) }
        if case .scriptLimit(_, _, _, let script)? = failure.cause {
            return diagnostic(of: script, entry, url)
        }
        let place = entry.origin.map(place(of:))
        return Diagnostic(.error, "\(failure)", file: place?.file, line: place?.line)
    }

    /// `file:line` in its parts.
    private static func place(of origin: String) -> (file: String, line: Int?) {
        guard let colon = origin.lastIndex(of: ":") else { return (origin, nil) }
        return (String(origin[..<colon]), Int(origin[origin.index(after: colon)...]))
    }

    private static func diagnostic(
        of failure: RequestError.ScriptFailure, _ entry: ConfigurationEntry, _ url: URLText
    ) -> Diagnostic {
        Diagnostic(
            .error, failure.message, file: failure.file, line: failure.line, traceback: failure.traceback,
            hint: "this happens when the block is run, for instance for \(url.string)")
    }
}
