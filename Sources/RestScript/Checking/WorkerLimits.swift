import Platform
import RestEngine

/// Warnings about limits of which some workers get nothing, because they are smaller than the number of
/// workers.
extension ScriptContext {
    /// The limits that the gateway has for one client.
    func smallGatewayLimits() -> [Diagnostic] {
        guard let count = options.worker?.count, count > 1, let gateway = declarations.gateway else {
            return []
        }
        return [
            ("in_flight", gateway.limits.requestsPerClient), ("streams", gateway.limits.streamsPerClient),
        ].compactMap { name, limit in
            smallLimit("limits.per_client.\(name)", limit, count, gateway.file, gateway.line)
        }
    }

    /// The limit of requests to a URL, which one of several blocks may have set. So the place is that of the
    /// service.
    func smallLimit(of service: Service, _ url: URLText, method: String) -> Diagnostic? {
        guard let count = options.worker?.count, count > 1 else { return nil }
        let resolved = service.resource(absoluteURL: url.string).resolvedConfiguration(for: method)
        // A limit that hosts share isn't divided.
        guard let limits = resolved.configuration.limits, !limits.isShared, let limit = limits.inFlight
        else { return nil }
        let place = services[service.name]?.place
        return smallLimit("limits.in_flight", limit, count, place?.file, place?.line)
    }

    private func smallLimit(
        _ name: String, _ limit: Int?, _ count: Int, _ file: String?, _ line: Int?
    ) -> Diagnostic? {
        guard let limit, limit < count else { return nil }
        return Diagnostic(
            .warning, code: "small_limit",
            "\(name) = \(limit) is divided among \(count) workers: \(count - limit) of them refuse all",
            file: file, line: line, hint: "raise it to \(count), or run \(limit) workers")
    }
}
