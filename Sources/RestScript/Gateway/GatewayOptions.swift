import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.gateway`. Limits for clients are in ``GatewayDeclaration/Limits``.
extension GatewayDeclaration {
    static let schema = ScriptSchema<GatewayDeclaration>([
        .init(
            "listen", type: "string | (string | { ... })[]", default: "\"127.0.0.1:8080\"",
            fields: Listener.schema.descriptions,
            "Addresses: `host:port`, `unix:/path`, or a list of them. The system chooses port 0. A table sets options of "
                + "one address."
        ) { options, gateway, grant in try Listener.read(options, into: &gateway, grant) },
        AccessPolicy.option(
            "Services by name, with the paths and methods that clients may use. Without it: every service, all paths, "
                + "GET and HEAD."
        ) { $0.expose = $1 },
        .table("auth", auth, "Clients that are let in: each shows one of these.") { gateway in
            try checkClients(of: gateway)
        },
        .table(
            "cors", CORS.schema, from: { CORS(origins: []) }, "Lets pages of other origins use the gateway."
        ) { $0.cors = $1 },
        .seconds(
            "timeout", .aboveZero,
            "Time for one request; then it gets 504. Without it: twice `timeouts.total` of the resource's configuration."
        ) { $0.timeout = $1 },
        .texts("server_names", "Further names that clients may call the gateway by, in `Host`.") {
            gateway, names in
            for name in names where URLText("http://\(name)/")?.path != "/" {
                throw LuaUsageError(
                    "'server_names' lists names of hosts, such as \"api.internal\", not '\(name)'")
            }
            gateway.serverNames = names
        },
        .texts(
            "trusted_proxies",
            "Addresses of proxies, networks such as `10.0.0.0/8`, or `unix`. From them `Forwarded` or `X-Forwarded-For` give "
                + "the client's address."
        ) { $0.trustedProxies = $1 },
        .table(
            "forward", Forward.schema, from: { Forward() }, "Headers of clients that go to the API."
        ) {
            guard !$1.areAllCredentials || !$1.headers.isEmpty else {
                throw OptionFault("has credentials = true, but no headers")
            }
            $0.forwardedHeaders = $1.headers
            $0.forwardedCredentials = $1.credentials ?? ($1.areAllCredentials ? $1.headers : [])
        },
        headerNames(
            "keep", "Headers of the API that go to clients, beside the usual ones.",
            "Names of the API's headers."
        ) { $0.keptHeaders = $1 },
        .table("limits", Limits.schema, from: { Limits() }, "Bounds what clients may use.") {
            $0.limits = $1
        },
        .flag("access_log", default: "false", "Writes a line of the log for each response.") {
            $0.logsAccess = $1
        },
        .table(
            "tls", TLS.schema, from: { TLS(certificate: "", key: "") },
            "Speaks TLS at all addresses but Unix sockets."
        ) { $0.tls = $1 },
    ])

    /// A table whose one option is a list of names. The gateway decides which names are allowed.
    private static func headerNames(
        _ name: String, _ sentence: String, _ sentenceOfNames: String,
        _ store: @escaping @Sendable (inout GatewayDeclaration, [String]) -> Void
    ) -> ScriptOption<GatewayDeclaration> {
        let schema = ScriptSchema<[String]>(
            name, [.texts("headers", label: "\(name).headers", sentenceOfNames) { $0 = $1 }])
        return .table(name, schema, from: { [] }, sentence, store)
    }
}
