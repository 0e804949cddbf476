import RestEngine

/// One resource in the list of `/-/resources`.
enum ResourceRow {
    @EngineActor
    static func tree(_ resource: Resource, of service: Service) -> Tree {
        let summary = resource.summary
        var pairs: [(String, Tree)] = [
            ("service", Tree(service.name)), ("url", Tree(visibleURL(of: resource, service))),
            ("data", Tree(summary.hasData)), ("loading", Tree(summary.isLoading)),
            ("requests", Tree(summary.openRequests)), ("observed", Tree(summary.isObserved)),
        ]
        if summary.timestamp > 0 {
            let age = resource.engine.scheduler.now - summary.timestamp
            pairs.append(("age", Tree(Int(max(0, min(age, 1e15))))))
        }
        if let code = summary.errorCode { pairs.append(("error", Tree(code))) }
        return Tree(pairs: pairs)
    }

    /// Without user info, and without the values of what has a secret's name or stands in the base URL itself: keys of APIs
    /// are there.
    @EngineActor
    private static func visibleURL(of resource: Resource, _ service: Service) -> String {
        let mask = SecretMask.standard
        guard let url = resource.url, let origin = url.origin else { return mask.line(resource.urlString) }
        let secret = Set((service.baseURL?.url.parameters ?? []).map(\.text))
        let parameters = url.parameters.map {
            secret.contains($0.text) ? $0.rawName + "=" + SecretMask.text : $0.text
        }
        return mask.url(
            origin + url.path + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")))
    }
}
