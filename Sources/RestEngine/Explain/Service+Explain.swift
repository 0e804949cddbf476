extension Service {
    /// The URL for an address typed by a person: an absolute URL, or a path below the base URL, with or
    /// without a query. The query is added to that of the base URL, as in the gateway.
    package func url(typed text: String) -> URLText? {
        if text.hasPrefix("http://") || text.hasPrefix("https://") { return URLText(text) }
        guard let mark = text.firstIndex(of: "?") else { return baseURL?.resource(text) }
        let resource = baseURL?.resource(String(text[..<mark]))
        let own = resource?.query.map { $0 + "&" } ?? ""
        return resource?.relative("?" + own + text[text.index(after: mark)...])?.withParams([])
    }

    /// Explains how the resource at an address would be requested. Blocks and mutators
    /// run on a configuration and a request of their own; no request is sent, and no state changes.
    public func explain(
        _ address: String, method: Method = .get, mask: SecretMask = .standard
    ) -> Explanation {
        guard let url = url(typed: address) else {
            let isPath = baseURL == nil
            return failed(
                url: address, method.rawValue,
                isPath
                    ? "the service has no base_url: give an absolute URL" : "'\(address)' is no path or URL",
                mask)
        }
        return explain(url, method: method, mask: mask)
    }

    /// Explains how a URL would be requested.
    public func explain(
        _ url: URLText, method: Method = .get, mask: SecretMask = .standard
    ) -> Explanation {
        guard url.isHTTP || url.isOfService else { return notRequestable(url, method, mask) }
        return ExplanationMaker(self, url, method.rawValue, mask).explanation {}
    }

    /// The same in steps, between which other work can run: hundreds of blocks take some time.
    package func explain(
        _ url: URLText, method: Method, mask: SecretMask = .standard,
        completion: @escaping @EngineActor (Explanation) -> Void
    ) {
        guard url.isHTTP || url.isOfService else { return completion(notRequestable(url, method, mask)) }
        let maker = ExplanationMaker(self, url, method.rawValue, mask)
        engine.scheduler.inParts {
            if maker.addBlock() { return true }
            completion(maker.finished())
            return false
        }
    }

    private func notRequestable(_ url: URLText, _ method: Method, _ mask: SecretMask) -> Explanation {
        failed(url: url.string, method.rawValue, "'\(url)' is not a URL that can be requested", mask)
    }

    /// Explains the message that a definition would send, with the level that set each property (rule 34.7).
    ///
    /// - Parameter poll: Called for each block; throws when the caller's time is over.
    func explain(
        _ definition: RequestDefinition, mask: SecretMask, poll: () throws -> Void
    ) rethrows -> Explanation {
        try ExplanationMaker(self, definition.url, definition.method, mask, of: definition)
            .explanation(poll: poll)
    }

    private func failed(
        url: String, _ method: String, _ message: String, _ mask: SecretMask
    ) -> Explanation {
        var explanation = Explanation(service: name, url: mask.url(url), method: method)
        let mask = mask.hiding(Headers(), url: url)
        let script = RequestError.ScriptFailure(message: message)
        explanation.failures = [.init(RequestError(cause: .scriptError(script), timestamp: 0), mask)]
        return explanation
    }
}
