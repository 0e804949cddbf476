import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The grants of a host, and `rest.permissions`, by which a script gives them up.
@Suite(.leakChecked) @EngineActor
struct PermissionsTests {
    private func fixture(_ change: (inout ScriptOptions) throws -> Void) throws -> ScriptFixture {
        let fixture = ScriptFixture()
        try change(&fixture.options)
        try SampleServer.install(on: fixture.transport)
        return fixture
    }

    private func output(_ source: String, _ change: (inout ScriptOptions) throws -> Void) throws -> [String] {
        let fixture = try fixture(change)
        try fixture.load(source)
        fixture.advance(1)
        fixture.close()
        return fixture.lines
    }

    private func hosts(_ names: String...) throws -> [HostGrant] {
        try names.map { try #require(HostGrant($0)) }
    }

    private static let ask = """
        rest.spawn(function()
          local content, err = api:resource_at("https://other.test/x"):get()
          print(content, err.cause.type, err.cause.message, err.http_status_code)
          print(api:resource("text"):get())
        end)
        """

    @Test func `requests go to the declared hosts alone`() throws {
        let lines = try output(Self.ask) { $0.capabilities.hosts = .declared }
        #expect(
            lines == [
                "nil\tscript_error\trequests to https://other.test/x are not allowed: no service of the script has this host;"
                    + " grant it with --allow-net other.test\tnil", "hello",
            ])
    }

    @Test func `S1.5 a stream of a host that isn't granted gives nil and the error, with its cause`() throws {
        let lines = try output(
            """
            rest.spawn(function()
              for _, what in ipairs { api:resource_at("https://other.test/x"):request("GET"),
                rest.request("GET", "https://other.test/x") } do
                local entity, err = rest.stream(what, error)
                print(entity, err.cause.type, err.cause.message:match("grant it with .*"))
              end
            end)
            """
        ) { $0.capabilities.hosts = .declared }
        #expect(
            lines
                == Array(repeating: "nil\tscript_error\tgrant it with --allow-net other.test", count: 2))
    }

    @Test func `named hosts take the place of the declared ones`() throws {
        let lines = try output(Self.ask) { $0.capabilities.hosts = .only(try hosts("b.test")) }
        #expect(
            lines.first == "nil\tscript_error\trequests to https://other.test/x are not allowed: "
                + "grant it with --allow-net b.test,other.test\tnil")
        #expect(
            lines.last
                == "nil\tGET https://api.test/v1/text: Script error: requests to https://api.test/v1/text are not allowed: grant it with --allow-net b.test,api.test"
        )
    }

    @Test func `a redirect to another host is refused`() throws {
        let fixture = try fixture { $0.capabilities.hosts = .declared }
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/moved",
            .response(302, headers: Headers([("Location", "https://evil.test/")])))
        try fixture.load("rest.spawn(function() print(api:resource('moved'):get()) end)")
        fixture.close()
        #expect(
            fixture.lines.first?.contains(
                "a redirect (302 Found) from https://api.test/v1/moved leads there, and requests to https://evil.test/ are not "
                    + "allowed") == true,
            "\(fixture.lines)")
        #expect(fixture.transport.requests.map(\.url) == ["https://api.test/v1/moved"])
    }

    @Test(arguments: [
        ("a.test", "https://a.test/x", true), ("a.test", "http://a.test:99/x", true),
        ("A.test", "https://a.TEST", true),
        ("a.test", "https://b.a.test", false), ("a.test", "https://a.test.evil", false),
        ("a.test:443", "https://a.test", true), ("a.test:443", "http://a.test", true),
        ("a.test:443", "https://a.test:444", false), ("a.test:8080", "http://a.test:8080/", true),
        ("a.test:8080", "http://a.test", false), ("*.a.test", "https://b.a.test", true),
        ("*.a.test", "https://c.b.a.test", true), ("*.a.test", "https://a.test", false),
        ("*.a.test", "https://ba.test", false), ("127.0.0.1:5", "http://127.0.0.1:5/", true),
        ("[::1]:5", "http://[::1]:5/", true), ("[::1]", "http://[::1]:5/", true),
        ("a.test", "https://user@a.test/", true), ("a.test", "https://a.test@evil.test/", false),
        ("unix:/a.test", "https://a.test/", false), ("münchen.test", "https://münchen.test/", true),
        ("*.münchen.test:1", "https://a.m%C3%BCnchen.test:1/", true),
        ("munchen.test", "https://münchen.test/", false),
    ])
    func `hosts and ports`(grant: String, url: String, isCovered: Bool) throws {
        let host = try #require(HostGrant(grant))
        #expect(host.covers(try #require(URLText(url))) == isCovered)
    }

    @Test(arguments: ["", "a/b", "https://a.test", "a:0", "a:x", "a:99999", "a b", "*.", "unix:", "a.test/"])
    func `what is no host`(text: String) {
        #expect(HostGrant(text) == nil)
    }

    @Test func `a script gives up what it has`() throws {
        let lines = try output(
            """
            print(rest.env.A, os.getenv "B")
            rest.permissions { env = { "A" }, net = { "api.test" }, read = false, write = {} }
            print(rest.env.A, os.getenv "B", pcall(function() return rest.env.B end))
            print(select(2, pcall(rest.read_file, "/etc/hostname")))
            print(select(2, pcall(rest.write_file, "/tmp/x", "")))
            rest.permissions { net = {} }
            rest.spawn(function() print(select(2, api:resource("text"):get())) end)
            """
        ) {
            $0.capabilities = .all
            $0.grantedEnvironment = nil
            $0.environment = ["A": "1", "B": "2"]
        }
        #expect(
            lines == [
                "1\t2",
                "warn: os.getenv returns nil for 'B': reading this environment variable is not allowed: rest.permissions at test.lua:2 leaves it out of 'env'",
                "1\tnil\tfalse\ttest.lua:3: reading the environment variable 'B' is not allowed: rest.permissions at test.lua:2 leaves it out of 'env'",
                "reading '/etc/hostname' is not allowed: rest.permissions at test.lua:2 leaves it out of 'read'",
                "writing '/tmp/x' is not allowed: rest.permissions at test.lua:2 leaves it out of 'write'",
                "GET https://api.test/v1/text: Script error: requests to https://api.test/v1/text are not allowed: rest.permissions at test.lua:6 leaves it out of 'net'",
            ])
    }

    @Test func `what was found of a host holds until a service or a narrowing changes it`() throws {
        let fixture = try fixture { $0.capabilities.hosts = .declared }
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://other.test/x",
            .response(200, headers: Headers([("Content-Type", "text/plain")]), body: Array("other".utf8)))
        try fixture.load(
            """
            rest.spawn(function()
              local function ask(url)
                local entity, err = api:resource_at(url):request("GET"):await()
                print(entity and entity.text or err.cause.type)
              end
              ask "https://api.test/v1/text"
              ask "https://other.test/x"
              rest.service { name = "other", base_url = "https://other.test" }
              ask "https://other.test/x"
              ask "https://api.test/v1/text"
              ask "https://api.test/v1/text"
              rest.permissions { net = { "other.test" } }
              ask "https://api.test/v1/text"
              ask "https://other.test/x"
            end)
            """)
        fixture.advance(1)
        fixture.close()
        #expect(
            fixture.lines == ["hello", "script_error", "other", "hello", "hello", "script_error", "other"])
    }

    @Test func `it gains nothing by it`() throws {
        let lines = try output(
            """
            rest.permissions { env = { "A", "B" }, read = { "/" }, write = "/", net = { "*.test" } }
            print(pcall(function() return rest.env.B end))
            print(select(2, pcall(rest.read_file, "/etc/hostname")))
            """
        ) { $0.grantedEnvironment = ["A"] }
        #expect(
            lines == [
                "false\ttest.lua:2: reading the environment variable 'B' is not allowed: grant it with --allow-env B",
                "reading '/etc/hostname' is not allowed: grant it with --allow-read /etc/hostname",
            ])
    }

    @Test(arguments: [
        ("rest.permissions { red = {} }", "unknown option 'red'"),
        ("rest.permissions { read = 5 }", "option 'read' is a list of strings or false, not a number"),
        ("rest.permissions { env = { 5 } }", "option 'env' is a list of strings; item 1 is a number"),
        ("rest.permissions { net = { 'a b' } }", "option 'net': 'a b' is not a host: write api.example.com"),
        ("rest.permissions { read = true }", "option 'read' is a list of strings or false, not a boolean"),
    ])
    func `wrong calls`(source: String, message: String) {
        #expect(loadError(source)?.hasPrefix("1: \(message)") == true)
    }

    @Test func `sockets count where hosts are named`() throws {
        let source = """
            print(pcall(rest.service, { name = "s", base_url = "http://docker", transport = { unix_socket = "/run/docker.sock" } }))
            """
        #expect(
            try output(source) { $0.capabilities.hosts = .only([HostGrant("docker")!]) } == [
                "false\tconnecting to the socket '/run/docker.sock' is not allowed: grant it with --allow-net docker,unix:/run/docker.sock"
            ])
        let granted = try hosts("docker", "unix:/run/docker.sock")
        #expect(
            try output(source) { $0.capabilities.hosts = .only(granted) }.first?.hasPrefix("true") == true)
    }

    @Test(arguments: [
        (
            "{ net = { ('x'):rep(1025) } }",
            "option 'net': a name takes 1 KiB at most, and this one 1025 bytes"
        ),
        ("{ env = ('x'):rep(1025) }", "option 'env': a name takes 1 KiB at most"),
        ("{ read = { ('x'):rep(65537) } }", "option 'read': a path takes 64 KiB at most"),
        ("{ write = { ('x'):rep(65537) } }", "option 'write': a path takes 64 KiB at most"),
        ("{ net = many }", "option 'net' is a list of 1000 strings at most, and this one has 1001"),
    ]) func `limit L280: a list of permissions and each of its items have a length`(
        given: String, expected: String
    ) throws {
        let fixture = ScriptFixture()
        let failure = fixture.failure(
            of: "local many = {} for i = 1, 1001 do many[i] = 'h' .. i end rest.permissions \(given)")
        #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "nothing")")
    }

    @Test func `limit L281: permissions are given up so often`() throws {
        let fixture = ScriptFixture()
        let failure = fixture.failure(of: "for _ = 1, 101 do rest.permissions { net = { 'api.test' } } end")
        #expect(failure?.message.contains("called 100 times already: one call can say it all") == true)
    }

    @Test func `a path longer than the system takes leads nowhere, without a look at each folder of it`() {
        #expect(ResolvedPath.resolve("/tmp/" + String(repeating: "a/", count: 2045)) != nil)
        #expect(ResolvedPath.resolve("/tmp/" + String(repeating: "a/", count: 2046)) == nil)
    }
}
