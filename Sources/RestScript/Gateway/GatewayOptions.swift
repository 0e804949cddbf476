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
        .table("auth", auth, "Clients that are let in: each shows a token or a certificate.") { gateway in
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
        headerNames("forward", "Headers of clients that go to the API.", "Names of clients' headers.") {
            $0.forwardedHeaders = $1
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

    // MARK: Clients

    private static let auth = ScriptSchema<GatewayDeclaration>(
        "auth",
        [
            .text("bearer", "One token for all clients.") { $0.bearerToken = $1 },
            .tables(
                "tokens", Token.schema, from: { Token(name: "") },
                "Tokens of several clients, each with a name."
            ) { gateway, tokens in
                for token in tokens {
                    guard (token.text == nil) != (token.sha256 == nil), token.text?.isEmpty != true else {
                        throw LuaUsageError(
                            "the token '\(token.name)' has either 'token', which isn't empty, or 'sha256'")
                    }
                }
                if let twice = twice(tokens.map { $0.name }) {
                    throw LuaUsageError("two tokens have the name '\(twice)'")
                }
                gateway.tokens = tokens
            },
            .text(
                "client_ca", of: .watchedFile,
                "A PEM file of certificates, one of which has signed that of each client."
            ) { $0.clientAuthority = $1 },
            .tables(
                "clients", Client.schema, from: { Client(name: "") },
                "The clients that are let in by certificate; without it all that `client_ca` has signed."
            ) { gateway, clients in
                if let twice = twice(clients.map { $0.name }) {
                    throw LuaUsageError("two items of 'clients' have the name '\(twice)'")
                }
                gateway.clients = clients
            },
            eventSource,
        ])

    private static func twice(_ names: [String]) -> String? {
        names.first { name in names.count { $0 == name } > 1 }
    }

    private static func checkClients(of gateway: GatewayDeclaration) throws(LuaUsageError) {
        try gateway.checkEventSource()
        for secret in [gateway.bearerToken] + gateway.tokens.map(\.text) {
            // A shorter token is for trials. It may be an ordinary word, which the mask would hide
            // everywhere.
            if let secret, secret.utf8.count >= 16 { SecretMask.hide(secret) }
        }
        if gateway.clients != nil, gateway.clientAuthority == nil {
            throw LuaUsageError("option 'auth.clients' needs 'auth.client_ca' beside it")
        }
        let hasOthers = !gateway.tokens.isEmpty || gateway.clientAuthority != nil
        if gateway.bearerToken.map(\.isEmpty) ?? !hasOthers {
            throw LuaUsageError(
                "option 'auth.bearer' is missing or empty: without a token leave 'auth' out")
        }
    }
}
