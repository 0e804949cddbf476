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
                body = "2MiB", stream_body = "3GiB" },
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
                        idleTimeout: 0.5, bodyBytes: 2 << 20, streamBodyBytes: 3 << 30),
                    logsAccess: true,
                    file: "test.lua", line: 1))
        fixture.close()
    }

    @Test func `the owner and mode are kept`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway {
              listen = { "127.0.0.1:0", { address = "[::1]:0", expose = { api = {} }, operator = true, proxy_protocol = true } },
              trusted_proxies = { "10.0.0.0/8", "unix" },
              auth = { tokens = {
                { name = "a", token = "x", operator = true },
                { name = "b", sha256 = ("0f"):rep(32), expose = { api = { methods = { "GET" } } } },
              }, keys = { header = "X-Shop-Key", { name = "a", token = "y" }, { name = "c", sha256 = ("0f"):rep(32) } } },
              cors = { origins = { "https://app.example" }, methods = { "PUT" }, headers = { "A" }, credentials = true, max_age = 5 },
              limits = { per_client = { rate = { requests = 10, per = 60, burst = 5 }, in_flight = 3, streams = 2 } },
            }
            """)
        let gateway = try #require(fixture.host?.gateway)
        #expect(gateway.listen == ["127.0.0.1:0", "[::1]:0"])
        let shown = GatewayDeclaration.AccessPolicy(paths: nil, methods: ["GET", "HEAD"])
        #expect(gateway.listenerPolicy == ["[::1]:0": ["api": shown]])
        #expect(gateway.operatorListeners == ["[::1]:0"] && gateway.proxyProtocolListeners == ["[::1]:0"])
        #expect(gateway.trustedProxies == ["10.0.0.0/8", "unix"])
        #expect(
            gateway.tokens == [
                .init(name: "a", text: "x", isOperator: true),
                .init(
                    name: "b", sha256: Array(repeating: 15, count: 32),
                    expose: ["api": .init(paths: nil, methods: ["GET"])]),
            ])
        let hashed = GatewayDeclaration.Token(name: "c", sha256: Array(repeating: 15, count: 32))
        #expect(gateway.keys == .init(header: "X-Shop-Key", keys: [.init(name: "a", text: "y"), hashed]))
        #expect(
            gateway.cors
                == .init(
                    origins: ["https://app.example"], methods: ["PUT"], headers: ["A"],
                    allowsCredentials: true,
                    maxAge: 5))
        #expect(gateway.limits.perClient == .init(requests: 10, per: 60, burst: 5))
        #expect(gateway.limits.requestsPerClient == 3 && gateway.limits.streamsPerClient == 2)
        fixture.close()
    }

    @Test func `61, 62 files for TLS are kept, and are files of the script`() throws {
        let fixture = ScriptFixture()
        var reached: [String] = []
        fixture.options.onFileReached = { reached.append($0) }
        try fixture.load(
            """
            rest.gateway {
              listen = { "127.0.0.1:0", { address = "[::1]:0", tls = false },
                { address = "127.0.0.2:0", tls = { certificate = "other.pem", key = "other.key" } } },
              tls = { certificate = "server.pem", key = "server.key" },
              auth = { client_ca = "clients.pem", clients = { { name = "a" }, { name = "b", expose = { api = {} } } } },
            }
            """)
        let gateway = try #require(fixture.host?.gateway)
        #expect(gateway.tls == .init(certificate: "server.pem", key: "server.key"))
        #expect(
            gateway.listenerTLS == [
                "[::1]:0": nil, "127.0.0.2:0": .init(certificate: "other.pem", key: "other.key"),
            ])
        #expect(gateway.clientAuthority == "clients.pem")
        let shown = GatewayDeclaration.AccessPolicy(paths: nil, methods: ["GET", "HEAD"])
        #expect(gateway.clients == [.init(name: "a"), .init(name: "b", expose: ["api": shown])])
        for name in ["server.pem", "server.key", "other.pem", "other.key", "clients.pem"] {
            #expect(reached.contains(name))
        }
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

    @Test func `a route's function gets the request and gives content, a response or an error`() async throws
    {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            local gateway = rest.gateway {}
            gateway:route("GET", "/report/{day}", { expiration_time = 60 }, function(request)
              rest.sleep(0)
              return { day = request.params.day, q = request.query.q, lang = request.headers["accept-language"],
                client = request.client.address }
            end):route("POST", "/orders", function(request)
              if not request.json then return nil, "no order" end
              return rest.response { status = 201, headers = { Location = "/orders/1" }, json = { name = request.json.name } }
            end)
            gateway:route("DELETE", "/orders/{id}", function(request) end)
            gateway:route("GET", "/text", function() return "hello" end)
            gateway:route("GET", "/raise", function() error("out of order") end)
            """)
        let routes = try #require(fixture.host?.gateway?.routes)
        #expect(routes.map(\.method) == ["GET", "POST", "DELETE", "GET", "GET"])
        #expect(routes.map(\.path) == ["/report/{day}", "/orders", "/orders/{id}", "/text", "/raise"])
        #expect(routes[0].expirationTime == 60)
        #expect(routes[2].line == 10)
        func ask(_ index: Int, _ request: ServedRequest) -> Result<Entity, RequestError>? {
            var result: Result<Entity, RequestError>?
            routes[index].handler.answer(request) { result = $0.entity }
            fixture.settle()
            return result
        }
        let report = try #require(
            try ask(
                0,
                ServedRequest(
                    method: "GET", path: "/report/today", params: [("day", "today")], query: [("q", "1")],
                    headers: Headers([("accept-language", "de")]), client: ServedClient(address: "10.0.0.1")))?
                .get())
        #expect(report.content.tree == ["client": "10.0.0.1", "day": "today", "lang": "de", "q": "1"])
        #expect(report.status == 200)
        let order = try #require(
            try ask(
                1, ServedRequest(method: "POST", path: "/orders", body: .held(Array(#"{"name":"x"}"#.utf8))))?
                .get())
        #expect(order.status == 201)
        #expect(order.headers["Location"] == "/orders/1")
        #expect(order.content.tree == ["name": "x"])
        guard case .failure(let refused)? = ask(1, ServedRequest(method: "POST", path: "/orders")) else {
            Issue.record("no failure")
            return
        }
        #expect(refused.userMessage == "no order")
        #expect(try ask(2, ServedRequest(method: "DELETE", path: "/orders/1"))?.get().status == 204)
        #expect(try ask(3, ServedRequest(method: "GET", path: "/text"))?.get().content.text == "hello")
        guard case .failure(let raised)? = ask(4, ServedRequest(method: "GET", path: "/raise")) else {
            Issue.record("no failure")
            return
        }
        #expect("\(raised)".contains("out of order"))
        fixture.close()
    }

    @Test(arguments: [
        ("rest.gateway {} rest.gateway {}", "there is one gateway: it was declared before"),
        (
            "rest.gateway {}:route('GET', '/a')",
            "bad argument #3 'fn' to 'route' (function expected, got no value)"
        ),
        (
            "rest.gateway {}:route('GET', '/a', { expiration = 1 }, print)",
            "unknown option 'expiration': did you mean 'expiration_time'?"
        ),
        ("rest.response { status = 99 }", "option 'status' is a number from 200 to 599"),
        ("rest.response { json = {}, text = '' }", "a response has one of 'json', 'text', 'body' and 'file'"),
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
            "rest.gateway { limits = { stream_body = '1 elephant' } }",
            "option 'limits.stream_body' is a number of bytes or a text such as \"16MiB\", 1 TiB at most"
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
        ("rest.gateway { tls = {} }", "option 'certificate' is missing in the call of 'rest.gateway.tls'"),
        (
            "rest.gateway { tls = { certificate = 'a', key = 'b', versions = 1 } }",
            "unknown option 'versions': 'rest.gateway.tls' knows certificate, key"
        ),
        (
            "rest.gateway { cors = { origin = {} } }",
            "unknown option 'origin': did you mean 'origins'?"
        ),
        (
            "rest.gateway { listen = { { address = '127.0.0.1:1', mode = '0600' } } }",
            "option 'mode' is that of a Unix socket in octal, such as \"0660\""
        ),
        (
            "rest.gateway { listen = { {} } }",
            "option 'address' is missing in the call of 'rest.gateway.listen'"
        ),
        (
            "rest.gateway { limits = { per_client = { rate = { requests = 0 } } } }",
            "a rate has 'requests' and 'per' (seconds) above 0, and a 'burst' of 1 or more"
        ),
        (
            "rest.gateway { limits = { per_client = { in_flight = 0 } } }",
            "option 'per_client.in_flight' is a whole number from 1 to 1000000"
        ),
        (
            "rest.gateway { expose = { 'api' } }",
            "'expose' has services by name: { github = { paths = { \"/users/**\" } } }"
        ),
        ("rest.gateway { expose = { api = true } }", "'api' in 'expose' is a table, not a boolean"),
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
