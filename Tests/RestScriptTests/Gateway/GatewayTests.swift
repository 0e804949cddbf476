import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct GatewayTests {
    @Test func `a declaration is kept`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway {
              listen = "127.0.0.1:8080", auth = { bearer = "secret" }, server_names = { "api.internal", "b:81" },
              timeout = 20, access_log = true,
              forward = { headers = { "Accept-Language" } }, keep = { headers = { "X-Total-Count" } },
              limits = { connections = 50, header_bytes = 32768, target_bytes = 1000, header_timeout = 5, idle_timeout = 0.5,
                body = "2MiB" },
              expose = { api = { paths = { "/users/**" }, methods = { "GET", "post", "PURGE" } }, other = {} },
            }
            """)
        #expect(
            fixture.host?.gateway
                == GatewayDeclaration(
                    listen: ["127.0.0.1:8080"], forwardedHeaders: ["Accept-Language"],
                    keptHeaders: ["X-Total-Count"],
                    expose: [
                        "api": .init(paths: ["/users/**"], methods: ["GET", "POST", "PURGE"]),
                        "other": .init(paths: nil, methods: ["GET", "HEAD"]),
                    ], bearerToken: "secret", timeout: 20, serverNames: ["api.internal", "b:81"],
                    limits: .init(
                        connections: 50, headerBytes: 32768, targetBytes: 1000, headerTimeout: 5,
                        idleTimeout: 0.5, bodyBytes: 2 << 20),
                    logsAccess: true,
                    file: "test.lua", line: 1))
        fixture.close()
    }

    @Test func `an empty one takes the defaults, and without one there is none`() throws {
        let fixture = ScriptFixture()
        try fixture.load("rest.gateway {}")
        #expect(fixture.host?.gateway == GatewayDeclaration(file: "test.lua", line: 1))
        fixture.close()
        try fixture.load("")
        #expect(fixture.host?.gateway == nil)
        fixture.close()
    }

    @Test(arguments: [
        ("rest.gateway {} rest.gateway {}", "there is one gateway: it was declared before"),
        ("rest.gateway 'x'", "bad argument #1 'options' to 'rest.gateway' (table expected, got string)"),
        ("rest.gateway { listn = 'x' }", "unknown option 'listn': did you mean 'listen'?"),
        (
            "rest.gateway { listen = 8080 }",
            "bad option 'listen' to 'rest.gateway' (string expected, got number)"
        ),
        ("rest.gateway { timeout = 0 }", "option 'timeout' is a number of seconds above 0"),
        (
            "rest.gateway { server_names = { 'http://a' } }",
            "'server_names' lists names of hosts, such as \"api.internal\", not 'http://a'"
        ),
        (
            "rest.gateway { limits = { connections = 0 } }",
            "option 'limits.connections' is a whole number from 1 to 1000000"
        ),
        (
            "rest.gateway { limits = { idle_timeout = 0 } }",
            "option 'limits.idle_timeout' is a number of seconds from 0.1 to 86400"
        ),
        (
            "rest.gateway { limits = { header_bytes = 16.5 } }",
            "bad option 'header_bytes' to 'rest.gateway.limits' (integer expected, got number)"
        ),
        (
            "rest.gateway { limits = { conections = 1 } }",
            "unknown option 'conections': did you mean 'connections'?"
        ),
        (
            "rest.gateway { limits = { body = '1 elephant' } }",
            "option 'limits.body' is a number of bytes or a text such as \"16MiB\", 1 TiB at most"
        ),
        ("rest.gateway { listen = {} }", "'listen' has no address in it"),
        (
            "rest.gateway { forward = { header = { 'A' } } }",
            "unknown option 'header': did you mean 'headers'?"
        ),
        (
            "rest.gateway { access_log = 'x' }",
            "bad option 'access_log' to 'rest.gateway' (boolean expected, got string)"
        ),
        (
            "rest.gateway { server_name = { 'a' } }",
            "unknown option 'server_name': did you mean 'server_names'?"
        ),
        ("rest.gateway { tls = {} }", "option 'tls' of the gateway is not available yet"),
        ("rest.gateway { cors = {} }", "option 'cors' of the gateway is not available yet"),
        (
            "rest.gateway { auth = {} }",
            "option 'auth.bearer' is missing or empty: without a token leave 'auth' out"
        ),
        (
            "rest.gateway { auth = { bearer = '' } }",
            "option 'auth.bearer' is missing or empty: without a token leave 'auth' out"
        ),
        ("rest.gateway { auth = { barer = 'x' } }", "unknown option 'barer': did you mean 'bearer'?"),
        (
            "rest.gateway { expose = { 'api' } }",
            "'expose' has services by name: { github = { paths = { \"/users/**\" } } }"
        ),
        ("rest.gateway { expose = { api = true } }", "what 'expose' says of 'api' is a table, not a boolean"),
        ("rest.gateway { expose = { api = { path = {} } } }", "unknown option 'path': did you mean 'paths'?"),
        (
            "rest.gateway { expose = { api = { paths = { 1 } } } }",
            "item 1 of 'paths' must be a string, not a number"
        ),
    ])
    func `a wrong declaration is refused`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }
}
