import Gateway
import RestScript

/// The gateway's settings: what the script declared, and what the command line says instead.
enum GatewaySettings {
    static let defaultAddress = "127.0.0.1:8080"

    /// Nil when neither asks for a gateway.
    static func make(
        _ declaration: GatewayDeclaration?, listen: [String], threads: Int?, serviceNames: [String]
    ) throws(Diagnostic) -> GatewayConfiguration? {
        guard declaration != nil || !listen.isEmpty else { return nil }
        var settings = GatewayConfiguration()
        settings.listen = listen.isEmpty ? [declaration?.listen ?? defaultAddress] : listen
        settings.threads = threads
        settings.bearerToken = declaration?.bearerToken
        guard let expose = declaration?.expose else { return settings }
        for name in expose.keys.sorted() where !serviceNames.contains(name) {
            throw Diagnostic(
                .error, "the gateway exposes '\(name)', but the script has no such service",
                hint: "its services are: \(serviceNames.joined(separator: ", "))")
        }
        settings.expose = expose.mapValues { exposure in
            ServiceExposure(paths: exposure.paths ?? ["**"], methods: exposure.methods)
        }
        return settings
    }
}
