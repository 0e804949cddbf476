import LuaRuntime
import RestEngine

/// Who may use a gateway, and how it speaks TLS with them.
extension GatewayBinding {
    /// `tls = { certificate =, key = }`.
    func tls(_ options: OptionTable) throws -> GatewayDeclaration.TLS {
        defer { options.lua.pop() }
        let tls = GatewayDeclaration.TLS(
            certificate: try certificateFile(
                options.required("certificate", try options.string("certificate"))),
            key: try certificateFile(options.required("key", try options.string("key"))))
        try options.finish()
        return tls
    }

    /// Its path; when the file changes, somebody wants to know.
    private func certificateFile(_ text: String) throws -> String {
        let path = try context.grants.readablePath(text)
        context.options.onFileReached?(path)
        return path
    }

    /// `auth = { bearer = … }` or `auth = { tokens = { { name =, token = or sha256 =, expose =, operator = }
    /// } }`, and `client_ca =` with `clients = { { name =, expose =, operator = } }`.
    func addClients(_ auth: OptionTable, _ declaration: inout GatewayDeclaration) throws {
        defer { auth.lua.pop() }
        declaration.bearerToken = try auth.string("bearer")
        declaration.tokens = try identities(auth, "tokens", token) ?? []
        if let twice = Self.twice(declaration.tokens.map(\.name)) {
            throw LuaUsageError("two tokens have the name '\(twice)'")
        }
        declaration.clientAuthority = try auth.string("client_ca").map(certificateFile)
        declaration.clients = try identities(auth, "clients", client)
        if let twice = Self.twice((declaration.clients ?? []).map(\.name)) {
            throw LuaUsageError("two items of 'clients' have the name '\(twice)'")
        }
        try auth.finish()
        for secret in [declaration.bearerToken] + declaration.tokens.map(\.text) {
            // A shorter one is for trying things out, and may be a word that stands everywhere.
            if let secret, secret.utf8.count >= 16 { SecretMask.hide(secret) }
        }
        if declaration.clients != nil, declaration.clientAuthority == nil {
            throw LuaUsageError("option 'auth.clients' needs 'auth.client_ca' beside it")
        }
        let hasOthers = !declaration.tokens.isEmpty || declaration.clientAuthority != nil
        if declaration.bearerToken.map(\.isEmpty) ?? !hasOthers {
            throw LuaUsageError(
                "option 'auth.bearer' is missing or empty: without a token leave 'auth' out")
        }
    }

    /// A list of tables; nil where there is none.
    private func identities<Identity>(
        _ auth: OptionTable, _ key: String, _ read: (OptionTable) throws -> Identity
    ) throws -> [Identity]? {
        guard let place = try auth.table(key) else { return nil }
        let lua = auth.lua
        var found: [Identity] = []
        while try lua.rawItem(place, found.count + 1) != .nil {
            guard lua.type(-1) == .table else {
                throw LuaUsageError(
                    "item \(found.count + 1) of '\(key)' is a table, not a \(lua.typeName(-1))")
            }
            found.append(try read(OptionTable(lua: lua, table: -1, owner: "rest.gateway.auth.\(key)")))
            lua.pop()
        }
        lua.pop(2)
        return found
    }

    private static func twice(_ names: [String]) -> String? {
        names.first { name in names.count { $0 == name } > 1 }
    }

    private func client(_ options: OptionTable) throws -> GatewayDeclaration.Client {
        var client = GatewayDeclaration.Client(
            name: try options.required("name", try options.string("name")))
        if let place = try options.table("expose") {
            client.expose = try exposure(options.lua, place)
            options.lua.pop()
        }
        client.isOperator = try options.boolean("operator") ?? false
        try options.finish()
        return client
    }

    private func token(_ options: OptionTable) throws -> GatewayDeclaration.Token {
        var token = GatewayDeclaration.Token(name: try options.required("name", try options.string("name")))
        token.text = try options.string("token")
        if let hash = try options.string("sha256") {
            guard let bytes = Hex.decode(Array(hash.utf8)), bytes.count == 32 else {
                throw LuaUsageError("option 'sha256' of the token '\(token.name)' is 64 hexadecimal digits")
            }
            token.sha256 = bytes
        }
        if let place = try options.table("expose") {
            token.expose = try exposure(options.lua, place)
            options.lua.pop()
        }
        token.isOperator = try options.boolean("operator") ?? false
        try options.finish()
        guard (token.text == nil) != (token.sha256 == nil), token.text?.isEmpty != true else {
            throw LuaUsageError(
                "the token '\(token.name)' has either 'token', which isn't empty, or 'sha256'")
        }
        return token
    }

    func cors(_ options: OptionTable) throws -> GatewayDeclaration.CORS {
        defer { options.lua.pop() }
        func list(_ name: String) throws -> [String] {
            guard let place = try options.table(name) else { return [] }
            defer { options.lua.pop() }
            return try options.lua.strings(place, "cors.\(name)")
        }
        var cors = GatewayDeclaration.CORS(origins: try list("origins"))
        cors.methods = try list("methods")
        cors.headers = try list("headers")
        cors.allowsCredentials = try options.boolean("credentials") ?? false
        if let age = try options.number("max_age") {
            guard age >= 0, age <= 86_400 else {
                throw LuaUsageError("option 'cors.max_age' is a number of seconds from 0 to 86400")
            }
            cors.maxAge = Int(age)
        }
        try options.finish()
        return cors
    }
}
