import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ScriptHostTests {
    @Test(arguments: [
        ("local x = = 1", "test.lua", 1, "unexpected symbol near '='"),
        ("\n\nerror('boom')", "test.lua", 3, "boom"),
        ("error(rest.error { user_message = 'Mine' })", "test.lua", 1, "Mine"),
        ("\nlocal t = nil + 1", "test.lua", 2, "attempt to perform arithmetic on a nil value"),
    ])
    func `a script that fails to load says where`(source: String, file: String, line: Int, message: String)
        throws
    {
        let diagnostic = try #require(ScriptFixture().failure(of: source))
        #expect(diagnostic.message == message)
        #expect(diagnostic.file == file && diagnostic.line == line && diagnostic.severity == .error)
    }

    @Test func `hints help with what is often wrong`() {
        let fixture = ScriptFixture()
        #expect(
            fixture.failure(of: "require 'rest'")?.hint
                == "the library is called 'resthost': local rest = require \"resthost\"")
    }

    @Test func `a limit is reported with what was used and what to do`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.load] = .init(burst: 0.1)
        let time = try #require(fixture.failure(of: "\nwhile true do end"))
        #expect(time.message.hasPrefix("script load used "))
        #expect(
            time.message.hasSuffix(
                " ms of CPU time in one go; its limit is 100 ms: look for a loop that doesn't end,"
                    + " or allow more with --limit load=0.2"))
        #expect(time.line == 2)
        fixture.options.memoryLimit = 4 << 20
        let memory = try #require(fixture.failure(of: "\n\nlocal s = ('x'):rep(1 << 23)"))
        #expect(memory.message.hasPrefix("not enough memory: the script holds "))
        #expect(
            memory.message.hasSuffix(
                ", asked for 8 MiB more and may hold 4 MiB: keep less at a time, or allow more with --memory 8M"
            ))
        #expect(memory.line == 3)
    }

    @Test func `limits are read from the command line's words`() {
        var limits = ScriptLimits()
        #expect(limits.set("transformer=0.2") == nil && limits[.transformer] == .init(burst: 0.2))
        #expect(limits.set("job=1/60") == nil && limits[.job] == .init(burst: 1, total: 60))
        #expect(limits.set("job=2") == nil && limits[.job] == .init(burst: 2, total: 60))
        #expect(limits.set("hook=none/5") == nil && limits[.hook] == .init(burst: .infinity, total: 5))
        #expect(limits[.load] == .init(burst: 5) && limits[.test] == .init(burst: 5))
        #expect(
            limits.set("tranformer=1")?.hasPrefix("there is no phase 'tranformer': there are load, ") == true)
        for text in [
            "job", "job=", "job=0", "job=-1", "job=x", "job=1/2/3", "job=inf", "job=nan", "job=/1", "=1", "",
        ] {
            #expect(limits.set(text) != nil, "\(text)")
        }
    }

    @Test func `modules are found beside the script and in the module paths`() throws {
        let folder = TemporaryFolder()
        folder.write(
            "lib/tool.lua", "local name, path = ... return { name = name, rest = require 'resthost' }")
        folder.write("plugin.lua", "return function(service, options) print(service.name, options.size) end")
        folder.write("number.lua", "return 5")
        folder.write("bad.lua", "\nerror('boom')")
        folder.write(
            "main.lua",
            ScriptFixture.prelude + """
                local tool = require "lib.tool"
                print(tool.name, tool.rest == rest, require "lib.tool" == tool)
                api:use("plugin", { size = 3 })
                print(pcall(api.use, api, "number"))
                print(select(2, pcall(require, "bad")))
                """)
        let fixture = ScriptFixture()
        let host = try ScriptHost(
            path: folder.path + "/main.lua", engine: fixture.engine, options: fixture.options)
        #expect(host.service(named: "api") != nil && host.service(named: "none") == nil)
        #expect(host.close())
        #expect(
            fixture.lines.map { $0.replacing(folder.path, with: "") } == [
                "lib.tool\ttrue\ttrue", "api\t3",
                "false\tmodule 'number' is no plugin: it is neither a function(service, options) nor a table with one in 'use'",
                "/bad.lua:2: boom",
            ])
    }

    @Test(arguments: [
        (
            "/nowhere/x.lua", "cannot read the script: No such file or directory",
            "check the path; it is relative to the current folder"
        ),
        ("/tmp", "cannot read the script: Is a directory", "this is a folder: name the script in it"),
    ])
    func `a script that can't be read says why`(path: String, message: String, hint: String) throws {
        let fixture = ScriptFixture()
        do throws(Diagnostic) {
            _ = try ScriptHost(path: path, engine: fixture.engine)
            Issue.record("it was read")
        } catch { #expect(error == Diagnostic(.error, code: "unreadable", message, file: path, hint: hint)) }
    }

    @Test func `collecting diagnostics finds several errors in one go`() throws {
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        try fixture.load(
            """

            api:configure("[", print)
            api:configure({ method = "GET" }, print)
            api:configure_transformer("a", { stge = "x" }, print)
            api:configure("ok", print)
            rest.servce()
            api:configure("never", 5)
            """)
        let host = try #require(fixture.host)
        #expect(
            host.diagnostics.map { "\($0.line ?? 0): \($0.message)" } == [
                "3: unknown option 'method': did you mean 'methods'?",
                "4: unknown option 'stge': did you mean 'stage'?",
                "6: unknown field 'servce' on rest: did you mean 'service'?",
            ])
        #expect(host.diagnostics.allSatisfy { $0.file == "test.lua" })
        #expect(host.services.count == 1)
        fixture.close()
    }

    @Test func `trying blocks finds what would fail later`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """

            api:configure("users/*/repos", function(c)
              c.expiration = 5
            end)
            api:configure(function(c) c.expiration_time = 5 end)
            api:configure({ methods = "POST" }, function(c) error(c.method .. " " .. c.url) end)
            api:configure(function(c) error(rest.error { user_message = "Mine" }) end)
            api:configure_transformer("a", print)
            """)
        let host = try #require(fixture.host)
        host.tryBlocks()
        #expect(
            host.diagnostics.map { "\($0.file ?? ""):\($0.line ?? 0): \($0.message)" } == [
                "test.lua:3: unknown field 'expiration' on configuration: did you mean 'expiration_time'?",
                "test.lua:6: POST https://api.test/v1/", "test.lua:7: GET https://api.test/v1/: Mine",
            ])
        #expect(
            host.diagnostics.first?.hint
                == "this happens when the block is run, for instance for https://api.test/v1/users/x/repos")
        fixture.close()
    }
}
