import LuaRuntime
import Platform
import RestEngine

/// The option `auth` of `rest.gateway`: the clients that are let in.
extension GatewayDeclaration {
    static let auth = ScriptSchema<GatewayDeclaration>(
        "auth",
        [
            .text("bearer", "One token for all clients.") { $0.bearerToken = $1 },
            .tables(
                "tokens", Token.schema, from: { Token(name: "") },
                "Tokens of several clients, each with a name."
            ) { gateway, tokens in
                try check(tokens, called: "token")
                gateway.tokens = tokens
            },
            .init(
                "keys", type: "{ ... }", fields: keyHeader.descriptions + [keyItems],
                "API keys, which clients send in a header of their own."
            ) { options, gateway, _ in try readKeys(options, into: &gateway) },
            .table("jwt", JWT.schema, from: { JWT() }, "Tokens of an issuer, signed with its keys (JWT).") {
                $0.jwt = $1
            },
            .table("basic", basic, "Clients that show a name and a password (Basic authentication).") {
                gateway in
                guard !gateway.users.isEmpty else {
                    throw LuaUsageError(
                        "'auth.basic' has no user in it: basic = { users = { { name = \"ada\", hash = \"…\" } } }"
                    )
                }
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

    /// - Parameter kind: `token` or `key`.
    private static func check(_ tokens: [Token], called kind: String) throws(LuaUsageError) {
        for token in tokens {
            guard (token.text == nil) != (token.sha256 == nil), token.text?.isEmpty != true else {
                throw LuaUsageError(
                    "the \(kind) '\(token.name)' has either 'token', which isn't empty, or 'sha256'")
            }
        }
        if let twice = twice(tokens.map { $0.name }) {
            throw LuaUsageError("two \(kind)s have the name '\(twice)'")
        }
    }

    private static let basic = ScriptSchema<GatewayDeclaration>(
        "basic",
        [
            .tables("users", User.schema, from: { User(name: "") }, "The users, each with a name.") {
                gateway, users in
                if let twice = twice(users.map { $0.name }) {
                    throw LuaUsageError("two users have the name '\(twice)'")
                }
                gateway.users = users
            }
        ])

    // MARK: Keys

    private static let keyHeader = ScriptSchema<Keys>(
        "keys",
        [
            .text("header", default: "\"X-Api-Key\"", "The header in which clients send their key.") {
                $0.header = $1
            }
        ])

    private static var keyItems: OptionDescription {
        var items = OptionDescription(
            "[integer]", type: "table", "Each item is the key of one client, with the options of a token.")
        items.isRequired = true
        return items
    }

    private static func readKeys(_ options: OptionTable, into gateway: inout GatewayDeclaration) throws {
        guard let inner = try options.options("keys") else { return }
        var keys = Keys()
        try inner.read(keyHeader, into: &keys, allowingItems: true)
        inner.lua.pop()
        keys.keys =
            try options.items("keys") { item in
                var token = Token(name: "")
                try item.read(Token.schema, into: &token)
                return token
            } ?? []
        guard !keys.keys.isEmpty else {
            throw LuaUsageError(
                "'auth.keys' has no key in it: keys = { { name = \"page\", sha256 = \"…\" } }")
        }
        try check(keys.keys, called: "key")
        gateway.keys = keys
    }

    // MARK: All together

    static func checkClients(of gateway: GatewayDeclaration) throws(LuaUsageError) {
        try gateway.checkEventSource()
        let keys = gateway.keys?.keys ?? []
        for secret in [gateway.bearerToken] + (gateway.tokens + keys).map(\.text) {
            // A shorter token is for trials. It may be an ordinary word, which the mask would hide
            // everywhere.
            if let secret, secret.utf8.count >= 16 { SecretMask.hide(secret) }
        }
        if gateway.clients != nil, gateway.clientAuthority == nil {
            throw LuaUsageError("option 'auth.clients' needs 'auth.client_ca' beside it")
        }
        if gateway.bearerToken.map(\.isEmpty) ?? !gateway.hasAuth {
            throw LuaUsageError(
                "option 'auth.bearer' is missing or empty: without a token leave 'auth' out")
        }
    }
}

/// A client that the gateway knows, with its access.
protocol GatewayClientOptions: Sendable {
    var expose: [String: GatewayDeclaration.AccessPolicy]? { get set }
    var isOperator: Bool { get set }
}

extension GatewayClientOptions {
    /// The options that all such clients have.
    fileprivate static var access: [ScriptOption<Self>] {
        [
            GatewayDeclaration.AccessPolicy.option(
                "Limits the client to this part of what its address exposes."
            ) { $0.expose = $1 },
            .flag(
                "operator", default: "false",
                "Makes an operator of the client, who may ask what the host does."
            ) { $0.isOperator = $1 },
        ]
    }
}

extension GatewayDeclaration.Client: GatewayClientOptions {
    static let schema = ScriptSchema<GatewayDeclaration.Client>(
        [
            .text("name", "The common name, or an alternative name, in the client's certificate.") {
                $0.name = $1
            }.required()
        ] + access)
}

extension GatewayDeclaration.Token: GatewayClientOptions {
    static let schema = ScriptSchema<GatewayDeclaration.Token>(
        [
            .text("name", "The client's name in logs and metrics.") { $0.name = $1 }.required(),
            .text("token", "The token's text; a token has either this or `sha256`.") { $0.text = $1 },
            .text("sha256", "The SHA-256 of the token's text, as 64 hexadecimal digits.") { token, hash in
                guard let bytes = Hex.decode(Array(hash.utf8)), bytes.count == 32 else {
                    throw LuaUsageError(
                        "option 'sha256' of the token '\(token.name)' is 64 hexadecimal digits")
                }
                token.sha256 = bytes
            },
        ] + access)
}

extension GatewayDeclaration.User: GatewayClientOptions {
    static let schema = ScriptSchema<GatewayDeclaration.User>(
        [
            .text("name", "The user's name, which has no colon.") { $0.name = $1 }.required(),
            .text(
                "hash",
                "The hash of the password, which `resthost hash` makes: `$scrypt$`, `$pbkdf2-sha256$`, `$pbkdf2-sha512$`, "
                    + "`$6$` or `$5$`."
            ) { $0.hash = $1 }.required(),
        ] + access)
}
