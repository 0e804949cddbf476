import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// All functions by which a script can make the host use paths and hosts. Grants must cover each of them.
@Suite(.leakChecked) @EngineActor
struct GrantTests {
    let folder = TemporaryFolder()

    /// The output of a script in ``folder``/app. The folder is written as `FOLDER`.
    private func output(
        _ source: String, prelude: String = ScriptFixture.prelude,
        change: (inout ScriptOptions) -> Void = { _ in }
    ) throws -> [String] {
        let fixture = ScriptFixture()
        fixture.options.makeSQLiteCache = { _ in MemoryCache() }
        fixture.options.openStore = { _ in ScriptStore() }
        change(&fixture.options)
        folder.write("app/main.lua", "")
        try fixture.load(
            source.replacing("FOLDER", with: folder.path), prelude: prelude,
            path: "\(folder.path)/app/main.lua")
        fixture.advance(1)
        fixture.close()
        return fixture.lines.map { $0.replacing(folder.path, with: "FOLDER") }
    }

    // MARK: The default

    @Test func `without a grant a script reads and writes below its own folder`() throws {
        folder.write("app/data/a", "x")
        #expect(
            try output(
                """
                print(rest.read_file("data/a"), rest.write_file("data/b", "y"), rest.read_file("data/b"))
                print(rest.cache.sqlite { path = "c.db" }, rest.store.open("data/s.db"))
                """) == ["x\ttrue\ty", "memory cache\tstore FOLDER/app/data/s.db"])
        folder.remove("app/data/b")
    }

    @Test(arguments: [
        "../secret", "/etc/passwd", ".env", ".git/config", "data/.hidden/x", "up/secret", "link",
    ])
    func `what lies elsewhere, and what is hidden, isn't read`(path: String) throws {
        for file in ["secret", "app/.env", "app/.git/config", "app/data/.hidden/x"] {
            folder.write(file, "x")
        }
        folder.link("app/up", to: folder.path)
        folder.link("app/link", to: "\(folder.path)/secret")
        let lines = try output("print(pcall(rest.read_file, '\(path)'))")
        #expect(lines.first?.hasPrefix("false\treading '") == true, "\(lines)")
        #expect(lines.first?.contains("' is not allowed: grant it with --allow-read ") == true, "\(lines)")
    }

    /// All functions that write files.
    private nonisolated static let writers = [
        "rest.write_file(PATH, 'y')", "rest.cache.sqlite { path = PATH }", "rest.store.open(PATH)",
        "rest.service { name = 's', transport = { unix_socket = PATH } }",
        "rest.gateway { listen = 'unix:' .. PATH }",
    ]

    @Test(arguments: writers)
    func `nothing is written elsewhere, nor what is run or grants things`(call: String) throws {
        folder.write("secret", "x")
        folder.write("app/.profile", "x")
        folder.write("app/lib.lua", "x")
        folder.write("app/tool", "x")
        folder.allowExecution(of: "app/tool")
        folder.link("app/up", to: folder.path)
        folder.link("app/settings", to: "\(folder.path)/app/resthost.toml")
        folder.link("app/dangling", to: "\(folder.path)/made")
        for path in [
            "../secret", "/etc/x", "FOLDER/secret", "up/secret", ".profile", "lib.lua", "new.LUA", "main.lua",
            "tool",
            "resthost.toml", "./resthost.toml", "settings", "dangling", "x\\0.db",
        ] {
            let source = call.replacing("PATH", with: "'\(path)'")
            let lines = try output("print(pcall(function() return \(source) end))")
            #expect(lines.first?.hasPrefix("false\t") == true, "\(source): \(lines)")
            #expect(
                lines.first?.contains("' is not allowed: ") == true || path.contains("\\0"),
                "\(source): \(lines)")
        }
    }

    @Test(arguments: writers)
    func `a script that gave up writing writes in no way`(call: String) throws {
        folder.link("app/dangling", to: "\(folder.path)/made")
        for path in ["FOLDER/app/x", "FOLDER/app/dangling", "FOLDER/app/none/../x"] {
            let source = call.replacing("PATH", with: "'\(path)'")
            let lines = try output(
                "rest.permissions { write = false } print(pcall(function() return \(source) end))"
            ) { $0.capabilities = .all }
            #expect(
                lines.first?.hasSuffix(
                    " is not allowed: rest.permissions at FOLDER/app/main.lua:1 leaves it out of 'write'")
                    == true,
                "\(lines)")
        }
    }

    @Test func `one that gave up reading has no database`() throws {
        for call in ["rest.cache.sqlite { path = 'c' }", "rest.store.open 'c'"] {
            let lines = try output(
                "rest.permissions { read = false } print(pcall(function() return \(call) end))")
            #expect(
                lines.first?.contains("reading 'FOLDER/app/c' is not allowed: rest.permissions at") == true,
                "\(lines)")
        }
    }

    @Test func `a grant opens what it names, and takes the place of the folder`() throws {
        for call in Self.writers.dropLast(2) {
            func source(_ path: String) -> String { call.replacing("PATH", with: "'\(path)'") }
            let lines = try output(
                "print((pcall(function() return \(source("FOLDER/out/x")) end))) print(pcall(function() return \(source("x")) end))"
            ) {
                folder.write("out/a", "")
                $0.capabilities.read = .below(["\(folder.path)/out"])
                $0.capabilities.write = .below(["\(folder.path)/out"])
            }
            #expect(lines.first == "true", "\(call): \(lines)")
            #expect(
                lines.last?.contains(
                    "'FOLDER/app/x' is not allowed: grant it with --allow-write FOLDER/app/x") == true)
            folder.remove("out/x")
        }
    }

    @Test func `a database names both flags`() throws {
        #expect(
            try output("print(pcall(rest.cache.sqlite, { path = 'FOLDER/c' }))") == [
                "false\treading and writing 'FOLDER/c' is not allowed: grant it with --allow-write FOLDER/c --allow-read FOLDER/c"
            ])
    }

    // MARK: Transport

    @Test func `certificates are files that are read`() throws {
        let source = "print(pcall(rest.service, { name = 's', transport = { ca_file = '/etc/ssl/x.pem' } }))"
        #expect(
            try output(source) == [
                "false\treading '/etc/ssl/x.pem' is not allowed: grant it with --allow-read /etc/ssl/x.pem"
            ])
        #expect(try output(source) { $0.capabilities.read = .below(["/etc/ssl"]) } == ["true\tservice s"])
        var files: [String?] = []
        let own = "rest.service { name = 's', transport = { ca_file = 'ca.pem' } }"
        _ = try output(own) {
            $0.makeTransport = { [transport = StubTransport(scheduler: Scheduler(clock: ManualClock()))] in
                files.append($0.caFile)
                return transport
            }
        }
        #expect(files == ["\(folder.path)/app/ca.pem"], "relative to the script's folder")
    }

    private func proxy(_ proxy: String, _ hosts: Capabilities.Hosts, before: String = "") throws -> String {
        try output(
            "\(before) print(pcall(rest.service, { name = 's', base_url = 'https://b.test', transport = { proxy = '\(proxy)' } }))"
        ) { $0.capabilities.hosts = hosts }.first ?? ""
    }

    @Test(arguments: [
        "http://evil.test:3128", "evil.test:3128", "socks5://evil.test", "socks5h://u:p@evil.test:1",
        "HTTPS://evil.test",
        "http://api.test:80@evil.test:3128", "socks4a://127.0.0.1:9050",
    ])
    func `a proxy is a host that must be granted`(text: String) throws {
        let line = try proxy(text, .declared)
        #expect(line.hasPrefix("false\trequests through the proxy "), "\(line)")
        #expect(line.contains(" are not allowed: grant it with --allow-net api.test,b.test,"), "\(line)")
        let host = try #require(HostGrant("a.test"))
        #expect(try proxy(text, .only([host])).contains("grant it with --allow-net a.test,"))
        #expect(
            try proxy(text, .all, before: "rest.permissions { net = { 'api.test' } }").contains(
                "are not allowed: rest.permissions at FOLDER/app/main.lua:1 leaves it out of 'net'"))
    }

    @Test func `a granted proxy is used`() throws {
        let hosts = Capabilities.Hosts.only([
            try #require(HostGrant("p.test:3128")), try #require(HostGrant("*.test")),
        ])
        #expect(try proxy("http://u:p@p.test:3128/", hosts) == "true\tservice s")
        #expect(try proxy("socks5h://q.test", hosts) == "true\tservice s")
        #expect(try proxy("", .declared) == "true\tservice s", "none at all")
    }

    @Test(arguments: [
        "http://", "ftp://api.test", "http://evil.test:1\\0@api.test", "http://evil.test#@api.test",
        "http://evil.test/@api.test",
        "http://evil.test\\\\@api.test", "http://api.test/path", "socks5h://localhost/run/x.sock",
        "http://api.test:1:2",
        "http://api%2etest", "http://a b", "http://[::1", "http://api.test:0", "http://api.test:+80",
        "http://api.test?x",
        "file:///etc/passwd", "http://ａpi.test",
    ])
    func `what could be read in two ways is no proxy`(text: String) throws {
        #expect(
            try proxy(text, .all).hasPrefix("false\toption 'transport.proxy' is not a proxy: it looks like"))
    }

    @Test func `a socket is granted by name among the hosts, or as what is written`() throws {
        let source =
            "print(pcall(rest.service, { name = 's', base_url = 'http://docker', transport = { unix_socket = '/run/docker.sock' } }))"
        for hosts in [Capabilities.Hosts.declared, .all] {
            #expect(
                try output(source) { $0.capabilities.hosts = hosts } == [
                    "false\tconnecting to the socket '/run/docker.sock' is not allowed: grant it with --allow-write /run/docker.sock"
                ])
        }
        #expect(try output(source) { $0.capabilities.write = .below(["/run"]) } == ["true\tservice s"])
    }

    // MARK: Requests

    @Test func `no request sends a file that may not be read`() throws {
        folder.write("secret", "x")
        let lines = try output(
            """
            for _, options in ipairs { { file = "../secret" }, { multipart = { { name = "a", file = "../secret" } } } } do
              print(api:resource("echo"):request("POST", options).response.error.cause.message)
            end
            """)
        #expect(
            lines
                == Array(
                    repeating:
                        "cannot read 'FOLDER/app/../secret': it is not allowed: grant it with --allow-read FOLDER/app/../secret",
                    count: 2), "\(lines)")
    }

    // MARK: check

    @Test func `check says all of it before anything runs`() throws {
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        fixture.options.capabilities.hosts = .only([try #require(HostGrant("a.test"))])
        fixture.options.makeSQLiteCache = { _ in MemoryCache() }
        fixture.options.openStore = { _ in ScriptStore() }
        let path = "\(folder.path)/main.lua"
        try fixture.load(
            """
            local cache = rest.cache.sqlite { path = "/var/c.db" }
            local state = rest.store.open "/var/s.db"
            rest.service { name = "p", base_url = "https://a.test", transport = { proxy = "http://p.test:1" } }
            rest.service { name = "q", base_url = "https://a.test", transport = { ca_file = "/x.pem" } }
            rest.service { name = "r", base_url = "https://a.test", transport = { unix_socket = "/x.sock" } }
            rest.gateway { listen = "unix:/x.sock" }
            """, path: path)
        let host = try #require(fixture.host)
        host.check()
        let findings = host.diagnostics.map { "\($0.line ?? 0) \($0.severity) \($0.message)" }
        #expect(
            findings.filter { $0.contains("allowed") } == [
                "1 error reading and writing '/var/c.db' is not allowed: grant it with --allow-write /var/c.db --allow-read /var/c.db",
                "2 error reading and writing '/var/s.db' is not allowed: grant it with --allow-write /var/s.db --allow-read /var/s.db",
                "3 error requests through the proxy p.test:1 are not allowed: grant it with --allow-net a.test,p.test:1",
                "4 error reading '/x.pem' is not allowed: grant it with --allow-read /x.pem",
                "5 error connecting to the socket '/x.sock' is not allowed: grant it with --allow-net a.test,unix:/x.sock",
                "6 error listening on the socket '/x.sock' is not allowed: grant it with --allow-write /x.sock",
                "1 warning requests to https://api.test/ are not allowed: grant it with --allow-net a.test,api.test",
            ], "\(findings)")
        fixture.close()
    }
}
