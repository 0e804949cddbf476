import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The option `auth` of `rest.gateway`.
@Suite(.leakChecked) @EngineActor
struct GatewayAuthTests {
    @Test func `an issuer of tokens is kept`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway { auth = { jwt = {
              issuer = "https://issuer.example", audience = { "shop", "other" }, jwks = "https://issuer.example/keys",
              algorithms = { "ES256", "PS512" }, clock_skew = 5, expose = { api = {} }, operator = true,
              required_claims = { "email", scope = "read", admin = true, level = 3, ratio = 0.5 },
            } } }
            """)
        var jwt = GatewayDeclaration.JWT()
        (jwt.issuer, jwt.audiences) = ("https://issuer.example", ["shop", "other"])
        (jwt.keys, jwt.algorithms, jwt.clockSkew) = ("https://issuer.example/keys", [.es256, .ps512], 5)
        jwt.required = [
            .value("admin", true), .present("email"), .value("level", 3), .value("ratio", 0.5),
            .value("scope", "read"),
        ]
        (jwt.expose, jwt.isOperator) = (["api": .init(paths: nil, methods: ["GET", "HEAD"])], true)
        #expect(fixture.host?.gateway?.jwt == jwt)
        fixture.close()
        try fixture.load(
            "rest.gateway { auth = { jwt = { issuer = 'i', audience = 'a', jwks = 'keys.json' } } }")
        let file = try #require(fixture.host?.gateway?.jwt)
        #expect(file.keysAreFile && file.keys.hasSuffix("keys.json") && file.audiences == ["a"])
        #expect(file.algorithms == [.rs256, .es256, .edDSA] && file.clockSkew == 30)
        fixture.close()
    }

    @Test func `users with passwords are kept`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway { auth = { basic = { users = {
              { name = "ada", hash = "$6$a$b", expose = { api = {} } }, { name = "grace", hash = "x", operator = true },
            } } } }
            """)
        let shown = GatewayDeclaration.AccessPolicy(paths: nil, methods: ["GET", "HEAD"])
        #expect(
            fixture.host?.gateway?.users == [
                .init(name: "ada", hash: "$6$a$b", expose: ["api": shown]),
                .init(name: "grace", hash: "x", isOperator: true),
            ])
        #expect(fixture.host?.gateway?.hasAuth == true)
        fixture.close()
    }

    @Test(arguments: [
        (
            "rest.gateway { auth = { basic = {} } }",
            "'auth.basic' has no user in it: basic = { users = { { name = \"ada\", hash = \"…\" } } }"
        ),
        (
            "rest.gateway { auth = { basic = { users = { { name = 'a' } } } } }",
            "option 'hash' is missing in the call of 'rest.gateway.auth.basic.users'"
        ),
        (
            "rest.gateway { auth = { basic = { users = { { name = 'a', hash = 'x' }, { name = 'a', hash = 'y' } } } } }",
            "two users have the name 'a'"
        ),
        (
            "rest.gateway { auth = { clients = {} } }",
            "option 'auth.clients' needs 'auth.client_ca' beside it"
        ),
        (
            "rest.gateway { auth = { client_ca = 'a', clients = { { name = 'x' }, { name = 'x' } } } }",
            "two items of 'clients' have the name 'x'"
        ),
        (
            "rest.gateway { auth = { client_ca = 'a', clients = { 'x' } } }",
            "item 1 of 'clients' is a table, not a string"
        ),
        (
            "rest.gateway { auth = { tokens = { { name = 'a' } } } }",
            "the token 'a' has either 'token', which isn't empty, or 'sha256'"
        ),
        (
            "rest.gateway { auth = { tokens = { { name = 'a', sha256 = 'xyz' } } } }",
            "option 'sha256' of the token 'a' is 64 hexadecimal digits"
        ),
        (
            "rest.gateway { auth = { tokens = { { name = 'a', token = 'x' }, { name = 'a', token = 'y' } } } }",
            "two tokens have the name 'a'"
        ),
        (
            "rest.gateway { auth = { keys = {} } }",
            "'auth.keys' has no key in it: keys = { { name = \"page\", sha256 = \"…\" } }"
        ),
        (
            "rest.gateway { auth = { keys = { { name = 'a', token = 'x' }, { name = 'a', token = 'y' } } } }",
            "two keys have the name 'a'"
        ),
        (
            "rest.gateway { auth = { keys = { { name = 'a' } } } }",
            "the key 'a' has either 'token', which isn't empty, or 'sha256'"
        ),
        (
            "rest.gateway { auth = { keys = { haeder = 'a', { name = 'a', token = 'x' } } } }",
            "unknown option 'haeder': did you mean 'header'?"
        ),
        (
            "rest.gateway { auth = { jwt = { issuer = 'i', audience = 'a' } } }",
            "option 'jwks' is missing in the call of 'rest.gateway.auth.jwt'"
        ),
        (
            "rest.gateway { auth = { jwt = { issuer = 'i', jwks = 'x', audience = {} } } }",
            "option 'jwt.audience' has one name at least"
        ),
        (
            "rest.gateway { auth = { jwt = { issuer = 'i', audience = 'a', jwks = 'x', algorithms = { 'HS256' } } } }",
            "option 'jwt.algorithms' has names among RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, and "
                + "'HS256' is none"
        ),
        (
            "rest.gateway { auth = { jwt = { issuer = 'i', audience = 'a', jwks = 'x', required_claims = { x = {} } } } }",
            "option 'jwt.required_claims' has a text, a number or a boolean for each name"
        ),
        (
            "rest.gateway { auth = {} }",
            "option 'auth.bearer' is missing or empty: without a token leave 'auth' out"
        ),
        (
            "rest.gateway { auth = { bearer = '' } }",
            "option 'auth.bearer' is missing or empty: without a token leave 'auth' out"
        ),
        ("rest.gateway { auth = { barer = 'x' } }", "unknown option 'barer': did you mean 'bearer'?"),
    ])
    func `a wrong declaration is refused`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }
}
