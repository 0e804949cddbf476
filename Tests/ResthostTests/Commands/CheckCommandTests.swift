import RestEngine
import TestSupport
import Testing

struct CheckCommandTests {
    private static let placed: [(script: String, place: String, message: String)] = [
        ("local x = = 3", "main.lua:2", "unexpected symbol near '='"),
        ("local t\nprint(t.x)", "main.lua:3", "attempt to index a nil value (local 't')"),
        ("rest.service { base_ul = \"http://x\" }", "main.lua:2", "did you mean 'base_url'?"),
        (
            "rest.service { base_url = \"example.com\" }", "main.lua:2",
            "'example.com' is not a URL: it looks like"
        ),
        ("rest.service { base_url = 3 }", "main.lua:2", "base_url"),
        ("rest.regex(\"([\")", "main.lua:2", "bad regular expression"),
        ("rest.servce {}", "main.lua:2", "did you mean 'service'?"),
        ("rest.sleep(1)", "main.lua:2", "put it into rest.spawn"),
        ("require \"nowhere\"", "main.lua:2", "no nowhere.lua or nowhere/init.lua in '.'"),
        ("print(rest.env.HOME)", "main.lua:2", "grant it with --allow-env HOME"),
        ("rest.gateway { expose = { nobody = {} } }", "main.lua:2", "the script has no such service"),
        ("rest.gateway { listen = \"somewhere\" }", "main.lua:2", "the port is missing"),
        ("rest.gateway { listen = \"127.0.0.1:1\", tsl = {} }", "main.lua:2", "unknown option 'tsl'"),
        (
            "rest.gateway { server_names = { \"http://a\" } }", "main.lua:2",
            "'server_names' lists names of hosts, such as \"api.internal\", not 'http://a'"
        ),
        (
            "rest.gateway {\n  limits = { idle_time = 5 },\n}", "main.lua:2",
            "unknown option 'idle_time': did you mean 'idle_timeout'?"
        ),
    ]

    @Test(arguments: placed)
    func `a mistake comes with its place`(mistake: (script: String, place: String, message: String)) async {
        let run = await ScriptFolder(mistake.script).run("check", "main.lua")
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix(mistake.place + ": error: "), "\(run.errors)")
        #expect(run.errors.contains(mistake.message), "\(run.errors)")
        #expect(run.errors.hasSuffix("main.lua: 1 error\n"), "\(run.errors)")
    }

    @Test(arguments: ["0.0.0.0:8080", "[::]:8080"])
    func `a gateway that everybody can use is reported`(address: String) async {
        let open = await ScriptFolder("rest.gateway { listen = \"\(address)\" }").run(
            "check", "main.lua", "--strict")
        #expect(open.code == 2)
        #expect(
            open.errors.hasPrefix(
                "main.lua:2: warning: the gateway listens on all addresses of this machine"),
            "\(open.errors)")
        let closed = await ScriptFolder(
            "rest.gateway { listen = \"\(address)\", auth = { bearer = \"x\" } }"
        ).run("check", "main.lua", "--strict")
        #expect(closed.code == 0, "\(closed.errors)")
    }

    @Test func `a folder of --lua-path that isn't there is reported`() async {
        let folder = ScriptFolder("")
        let run = await folder.run(
            "check", "main.lua", "--strict", "--lua-path", ".", "--lua-path", "nowhere")
        #expect(run.code == 2)
        #expect(
            run.errors.contains("warning: there is no folder 'nowhere', which --lua-path names\n"),
            "\(run.errors)")
        #expect(run.errors.contains("1 warning\n"), "\(run.errors)")
    }

    @Test func `the line is shown with the one before it`() async {
        let run = await ScriptFolder("  local x = = 3").run("check", "main.lua")
        #expect(
            run.errors == """
                main.lua:2: error: unexpected symbol near '='
                  1 | local rest = require "resthost"
                  2 |   local x = = 3
                    |   ^
                main.lua: 1 error

                """)
    }

    @Test func `all wrong declarations are found at once`() async {
        let folder = ScriptFolder.service(
            at: "http://127.0.0.1:1",
            """
            api:configure("/a", { method = "GET" }, function(c) end)
            api:configure("/b", function(c) c.expiration_tme = 1 end)
            api:configure("/c", function(c) c.timeouts.conect = 1 end)
            """)
        let run = await folder.run("check", "main.lua")
        #expect(run.code == 2)
        for part in [
            "main.lua:3: error: unknown option 'method'", "did you mean 'methods'?",
            "main.lua:4: error: unknown field 'expiration_tme'", "did you mean 'expiration_time'?",
            "main.lua:5: error: unknown field 'conect'", "did you mean 'connect'?",
            "hint: this happens when the block is run, for instance for http://127.0.0.1:1/b",
            "main.lua: 3 errors\n",
        ] {
            #expect(run.errors.contains(part), "\(part) in \(run.errors)")
        }
    }

    @Test func `a script without mistakes is counted`() async {
        let folder = ScriptFolder.service(at: "http://127.0.0.1:1", "api:configure(\"**\", function(c) end)")
        let run = await folder.run("check", "main.lua")
        #expect(run.code == 0)
        #expect(run.errors == "main.lua: no errors; 1 service, 1 block\n")
    }

    @Test(arguments: ["", ", transport = { user_agent = \"own\" }"])
    func `nothing is sent`(options: String) async {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let folder = ScriptFolder(
            "local api = rest.service { base_url = \"\(peer.baseURL)\"\(options) }\n"
                + "rest.spawn(function() api:resource(\"/login\"):request(\"POST\"):await() end)")
        let run = await folder.run("check", "main.lua")
        #expect(run.code == 0)
        #expect(peer.connectionCount == 0)
    }

    @Test func `a script that can't be read is named`() async {
        let folder = ScriptFolder("")
        let missing = await folder.run("check", "nowhere.lua")
        #expect(missing.code == 2)
        #expect(
            missing.errors == """
                nowhere.lua: error: cannot read the script: No such file or directory
                  hint: check the path; it is relative to the current folder
                nowhere.lua: 1 error

                """)
        let directory = await folder.run("check", ".")
        #expect(directory.code == 2)
        #expect(directory.errors.contains("hint: this is a folder: name the script in it"))
    }

    @Test func `a byte order mark and a line for the system's loader are no part of a script`() async {
        let folder = ScriptFolder("")
        folder.write("\u{FEFF}#!/usr/bin/resthost run\nlocal x = = 3\n", to: "marked.lua")
        let run = await folder.run("check", "marked.lua")
        #expect(run.errors.hasPrefix("marked.lua:2: error: unexpected symbol near '='"), "\(run.errors)")
    }

    @Test func `bytes that are no text are not printed`() async {
        let folder = ScriptFolder("")
        folder.write("\u{1}\u{2}", to: "binary.lua")
        let run = await folder.run("check", "binary.lua")
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("binary.lua:1: error: "))
    }

    @Test func `findings are there for programs`() async throws {
        let run = await ScriptFolder("local x = = 3").run("check", "main.lua", "--json")
        #expect(run.code == 2)
        #expect(run.errors.isEmpty)
        let report = try Tree(json: run.output)
        #expect(report["ok"]?.bool == false)
        let finding = try #require(report["diagnostics"]?[0])
        #expect(finding["severity"]?.string == "error")
        #expect(finding["message"]?.string == "unexpected symbol near '='")
        #expect(finding["file"]?.string == "main.lua")
        #expect(finding["line"]?.int == 2)

        let sound = await ScriptFolder("").run("check", "main.lua", "--json")
        #expect(sound.code == 0)
        #expect(sound.output == #"{"ok":true,"diagnostics":[]}"# + "\n")
    }

    @Test func `all errors of all files at once`() async throws {
        let folder = ScriptFolder(
            """
            local bad = rest.service { name = "api", base_url = "nope" }
            bad:configure("/x", { mthods = "GET" }, function(c) end)
            local a = require "broken1"
            local b = require("broken2")
            local c = require "fails"
            """)
        folder.write("local x = = 3", to: "broken1.lua")
        folder.write("return {", to: "broken2.lua")
        folder.write("local x\nreturn x.y", to: "fails.lua")
        let run = await folder.run("check", "main.lua", "--json")
        #expect(run.code == 2)
        let findings = try #require(try Tree(json: run.output)["diagnostics"])
        #expect(
            findings.elements.map {
                "\($0["file"]?.string ?? ""):\($0["line"]?.int ?? 0) \($0["code"]?.string ?? "")"
            }
                == [
                    "main.lua:2 declaration", "main.lua:3 declaration", "./broken1.lua:1 syntax",
                    "./broken2.lua:1 syntax", "./fails.lua:2 runtime",
                ])
        #expect(
            findings[0]?.pairs.map(\.key) == ["severity", "code", "message", "file", "line", "hint"])
        #expect(findings[0]?["hint"]?.isNull == true)
    }

    @Test func `warnings are shown with their lines, and count when --strict says so`() async {
        let folder = ScriptFolder(
            """
            local api = rest.service { name = "api", base_url = "https://api.test" }
            api:configure(function(c) c.headers.Authorization = "Bearer s3cret" end)
            """)
        let run = await folder.run("check", "main.lua")
        #expect(run.code == 0)
        #expect(
            run.errors == """
                main.lua:3: warning: this block has no pattern, so it sends 'Authorization' to other hosts too
                  2 | local api = rest.service { name = "api", base_url = "https://api.test" }
                  3 | api:configure(function(c) c.headers.Authorization = "***" end)
                    | ^
                  hint: write configure("**", …): that is everything below base_url, and nothing else
                main.lua: 1 warning

                """)
        #expect(await folder.run("check", "main.lua", "--strict").code == 2)
        #expect(await folder.run("check", "main.lua", "--strict", "--json").code == 2)
        let sound = ScriptFolder("")
        #expect(await sound.run("check", "main.lua", "--strict").code == 0)
    }

    @Test func `a file of tests is distinguished`() async {
        let run = await ScriptFolder("local t = require \"resthost.test\"").run("check", "main.lua")
        #expect(run.errors.contains("hint: this is a file of tests: run it with resthost test"))
    }
}
