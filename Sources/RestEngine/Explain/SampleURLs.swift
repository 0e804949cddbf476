extension URLPattern {
    /// URLs for trying blocks out: the pattern with its wildcards filled in, in two ways. Of a pattern that has none, or
    /// that can't be turned into a URL, the service's base.
    @EngineActor
    public func samples(of service: Service) -> [URLText] {
        let base = service.baseURL?.url
        switch self {
        case .resource(let url): return [url]
        case .glob(let glob):
            var found: [URLText] = []
            for (folders, deep, name, one) in [("", "x", "x", "x"), ("a/b/", "a/b", "y2", "z")] {
                let filled = glob.text.replacing("**/", with: folders).replacing("**", with: deep)
                    .replacing("*", with: name).replacing("?", with: one)
                let url = URLText(filled).flatMap { $0.isHTTP ? $0 : nil } ?? base?.appendingPath(filled)
                if let url, !found.contains(url) { found.append(url) }
            }
            return found
        case .all, .regex, .predicate: return [base ?? URLText("http://localhost/")].compactMap { $0 }
        }
    }
}
