import LuaRuntime
import Platform
import RestEngine

extension GatewayDeclaration {
    /// Headers of clients that go to the API.
    struct Forward {
        var headers: [String] = []
        var areAllCredentials = false
        /// Nil if they are not listed.
        var credentials: [String]?

        static let schema = ScriptSchema<Forward>(
            "forward",
            [
                .texts("headers", label: "forward.headers", "Names of clients' headers.") { $0.headers = $1 },
                .init(
                    "credentials", type: "boolean | string[]", default: "false",
                    """
                    The headers that are a client's own credentials, or `true` for all: each client gets resources, \
                    caches and answers of its own.
                    """
                ) { options, forward, grant in
                    guard let place = options.value("credentials") else { return }
                    let flag = options.lua.boolean(place)
                    let isFlag = options.lua.type(place) == .boolean
                    options.lua.pop()
                    if isFlag {
                        forward.areAllCredentials = flag ?? false
                    } else {
                        try listed.read(options, &forward, grant)
                    }
                },
            ])

        private static let listed = ScriptOption<Forward>.texts(
            "credentials", label: "forward.credentials", "Names of headers."
        ) { $0.credentials = $1 }
    }

    /// One address, as a script gives it.
    struct Listener {
        var address = ""
        var mode: Int?
        /// The outer nil means the TLS of all addresses; the inner nil means none.
        var tls: TLS??
        var expose: [String: AccessPolicy]?
        var isOperator = false
        var takesProxyProtocol = false

        static let schema = ScriptSchema<Listener>([
            .text("address", of: .listen, "`host:port` or `unix:/path`.") { $0.address = $1 }.required(),
            .text("mode", "The mode of a Unix socket's file, in octal: `\"0660\"`.") { listener, mode in
                guard let bits = Int(mode, radix: 8), 0...0o777 ~= bits, listener.address.hasPrefix("unix:")
                else { throw OptionFault("is that of a Unix socket in octal, such as \"0660\"") }
                listener.mode = bits
            },
            .init(
                "tls", type: "false | { ... }", fields: TLS.schema.descriptions,
                "TLS of this address, in place of the gateway's; `false` switches it off."
            ) { options, listener, grant in
                guard let place = options.value("tls") else { return }
                let isOff = options.lua.type(place) == .boolean && options.lua.boolean(place) == false
                options.lua.pop()
                if isOff { listener.tls = .some(nil) } else { try ownTLS.read(options, &listener, grant) }
            },
            AccessPolicy.option("Replaces `expose` of the gateway at this address.") { $0.expose = $1 },
            .flag(
                "operator", default: "false",
                "Makes operators of the address's clients, who may ask what the host does."
            ) {
                $0.isOperator = $1
            },
            .flag(
                "proxy_protocol", default: "false",
                "Connections begin with a header of the PROXY protocol, version 1 or 2; only `trusted_proxies` may connect."
            ) { $0.takesProxyProtocol = $1 },
        ])

        private static let ownTLS = ScriptOption<Listener>.table(
            "tls", TLS.schema, from: { TLS(certificate: "", key: "") }, ""
        ) { $0.tls = .some($1) }

        /// Reads one address or a list of them.
        static func read(
            _ options: OptionTable, into gateway: inout GatewayDeclaration, _ grant: OptionGrant
        ) throws {
            guard let place = options.value("listen") else { return }
            defer { options.lua.pop() }
            let lua = options.lua
            guard lua.type(place) == .table else {
                gateway.listen = try options.string("listen").map { [try grant(.listen, $0)] } ?? []
                return
            }
            var index = 1
            while lua.rawGet(place, index) != .nil {
                defer { lua.pop() }
                var listener = Listener()
                if let text = lua.type(-1) == .string ? lua.string(-1) : nil {
                    listener.address = try grant(.listen, text)
                } else if lua.type(-1) == .table {
                    try OptionTable(lua: lua, table: -1, owner: "rest.gateway.listen")
                        .read(schema, into: &listener, grant: grant)
                } else {
                    throw LuaUsageError(
                        "item \(index) of 'listen' is an address or a table, not a \(lua.typeName(-1))")
                }
                gateway.add(listener)
                index += 1
            }
            lua.pop()
            guard !gateway.listen.isEmpty else { throw LuaUsageError("'listen' has no address in it") }
        }
    }

    private mutating func add(_ listener: Listener) {
        let address = listener.address
        listen.append(address)
        if let mode = listener.mode { socketModes[address] = mode }
        if let tls = listener.tls { listenerTLS[address] = .some(tls) }
        if let expose = listener.expose { listenerPolicy[address] = expose }
        if listener.isOperator { operatorListeners.insert(address) }
        if listener.takesProxyProtocol { proxyProtocolListeners.insert(address) }
    }
}

extension GatewayDeclaration.AccessPolicy {
    static let schema = ScriptSchema<GatewayDeclaration.AccessPolicy>([
        .texts(
            "paths", default: "{ \"**\" }",
            "Globs of the path behind the service's name, as in configuration blocks."
        ) { $0.paths = $1 },
        .texts("methods", default: "{ \"GET\", \"HEAD\" }", "Methods that are let through.") {
            accessPolicy, methods in
            accessPolicy.methods = methods.map { Method($0).rawValue }
        },
    ])

    /// An option with services by name, each with its access policy.
    static func option<Target>(
        _ sentence: String,
        _ store: @escaping @Sendable (inout Target, [String: GatewayDeclaration.AccessPolicy]) -> Void
    ) -> ScriptOption<Target> {
        ScriptOption<Target>(
            "expose", type: "table<string, { ... }>", fields: schema.descriptions, sentence
        ) { options, target, _ in
            guard let place = try options.table("expose") else { return }
            defer { options.lua.pop() }
            store(&target, try accessPolicies(options.lua, place))
        }
    }

    private static func accessPolicies(
        _ lua: Lua, _ place: Int32
    ) throws -> [String: GatewayDeclaration.AccessPolicy] {
        var all: [String: GatewayDeclaration.AccessPolicy] = [:]
        try lua.forEachPair(place) { lua in
            guard let name = lua.string(-2) else {
                throw LuaUsageError(
                    "'expose' has services by name: { github = { paths = { \"/users/**\" } } }")
            }
            guard lua.type(-1) == .table else {
                throw LuaUsageError("'\(name)' in 'expose' is a table, not a \(lua.typeName(-1))")
            }
            var accessPolicy = GatewayDeclaration.AccessPolicy(paths: nil, methods: ["GET", "HEAD"])
            try OptionTable(lua: lua, table: -1, owner: "expose.\(name)").read(schema, into: &accessPolicy)
            all[name] = accessPolicy
        }
        return all
    }
}

extension GatewayDeclaration.TLS {
    static let schema = ScriptSchema<GatewayDeclaration.TLS>([
        .text(
            "certificate", of: .watchedFile,
            "A PEM file of the certificate, followed by those between it and its issuer."
        ) { $0.certificate = $1 }.required(),
        .text("key", of: .watchedFile, "A PEM file of its private key, without a passphrase.") {
            $0.key = $1
        }.required(),
    ])
}

extension GatewayDeclaration.CORS {
    static let schema = ScriptSchema<GatewayDeclaration.CORS>(
        "cors",
        [
            .texts(
                "origins", label: "cors.origins",
                "Origins of pages, such as `https://app.example`, one at least; `\"*\"` is all."
            ) { $0.origins = $1 }.requiredAtEnd(),
            .texts(
                "methods", label: "cors.methods",
                "Methods that pages may use beside GET, HEAD and POST; without it all that are exposed."
            ) { $0.methods = $1 },
            .texts("headers", label: "cors.headers", default: "{}", "Headers that pages may send.") {
                $0.headers = $1
            },
            .flag(
                "credentials", default: "false",
                "Lets pages send cookies and the like, which is not possible for `\"*\"`."
            ) { $0.allowsCredentials = $1 },
            .seconds(
                "max_age", .between(0, 86_400), default: "600",
                "Time for which a browser may remember the response to a preflight request."
            ) { $0.maxAge = Int($1) },
        ])
}
