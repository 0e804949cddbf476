import LuaRuntime
import Platform
import RestEngine

extension GatewayDeclaration.JWT {
    static let schema = ScriptSchema<GatewayDeclaration.JWT>(
        "jwt",
        [
            .text("issuer", "The issuer, exactly as in the claim `iss`.") { $0.issuer = $1 }.required(),
            .oneOrMore("audience", "The gateway's name for the issuer: one of these is in the claim `aud`.") {
                guard !$1.isEmpty else { throw OptionFault("has one name at least") }
                $0.audiences = $1
            }.required(),
            .init(
                "jwks", type: "string",
                "The issuer's public keys as a JWK Set: an `https` URL, which needs no grant, or a file."
            ) { options, jwt, grant in
                guard let text = try options.string("jwks") else { return }
                jwt.keysAreFile = !text.contains("://")
                jwt.keys = jwt.keysAreFile ? try grant(.readFile, text) : text
            }.required(),
            .texts(
                "algorithms", words: SignatureAlgorithm.allCases.map(\.rawValue),
                default: "{ \"RS256\", \"ES256\", \"EdDSA\" }",
                "The algorithms that a token may be signed with."
            ) { jwt, names in
                jwt.algorithms = []
                for name in names {
                    guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                        let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                        throw OptionFault("has names among \(known), and '\(name)' is none")
                    }
                    jwt.algorithms.insert(algorithm)
                }
                if jwt.algorithms.isEmpty { throw OptionFault("has one at least") }
            },
            .seconds(
                "clock_skew", .between(0, 300), default: "30",
                "By how much the issuer's clock may differ from this machine's."
            ) { $0.clockSkew = $1 },
            .init(
                "required_claims", type: "table<string | integer, any>",
                "Claims that a token needs: an item is a name, and `name = value` its value too. A list in the token has "
                    + "to contain the value, `scope` has it as a word."
            ) { options, jwt, _ in
                guard let place = try options.table("required_claims") else { return }
                defer { options.lua.pop() }
                jwt.required = try requiredClaims(options.lua, place)
            },
            GatewayDeclaration.AccessPolicy.option(
                "Limits clients with a token to this part of what their address exposes."
            ) { $0.expose = $1 },
            .flag(
                "operator", default: "false",
                "Makes operators of clients with a token, who may ask what the host does."
            ) { $0.isOperator = $1 },
        ])

    private static func requiredClaims(_ lua: Lua, _ place: Int32) throws -> [TokenRules.Required] {
        var claims: [TokenRules.Required] = []
        try lua.forEachPair(place) { lua in
            if lua.type(-2) == .number {
                guard lua.type(-1) == .string, let name = lua.string(-1) else {
                    throw OptionFault("has names of claims as items, not a \(lua.typeName(-1))")
                }
                claims.append(.present(name))
                return
            }
            guard let name = lua.string(-2), let value = value(lua) else {
                throw OptionFault("has a text, a number or a boolean for each name")
            }
            claims.append(.value(name, value))
        }
        return claims.sorted { $0.name < $1.name }
    }

    private static func value(_ lua: Lua) -> Tree? {
        switch lua.type(-1) {
        case .string: lua.string(-1).map { Tree($0) }
        case .boolean: lua.boolean(-1).map { Tree($0) }
        case .number: lua.integer(-1).map { Tree($0) } ?? lua.number(-1).map { Tree($0) }
        default: nil
        }
    }
}
