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
        return Diagnostic(.error, "\(failure)", file: entry.origin)
    }

    private static func diagnostic(
        of failure: RequestError.ScriptFailure, _ entry: ConfigurationEntry, _ url: URLText
    ) -> Diagnostic {
        Diagnostic(
            .error, failure.message, file: failure.file, line: failure.line, traceback: failure.traceback,
            hint: "this happens when the block is run, for instance for \(url.string)")
    }
}
