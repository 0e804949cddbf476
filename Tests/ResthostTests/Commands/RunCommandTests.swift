import Platform
import TestSupport
import Testing

struct RunCommandTests {
    @Test func `it ends when its jobs have ended`() async {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("hello".utf8))
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() print((api:resource(\"/a\"):get())) end)")
        let run = await folder.run("run", "main.lua")
        #expect(run.code == 0)
        #expect(run.output == "hello\n")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends it`(signal: Int32) async {
        let folder = ScriptFolder("rest.gateway { listen = \"127.0.0.1:0\" }")
        defer { withExtendedLifetime(folder) {} }
        let child = folder.start("run", "main.lua")
        #expect(await child.hasWritten("listening on http://127.0.0.1:"))
        child.signal(signal)
        #expect(await child.end().code == 0)
    }

    @Test func `it says where it serves what`() async {
        let folder = ScriptFolder.service(at: "http://127.0.0.1:1/v1", "rest.service { name = \"any\" }")
        defer { withExtendedLifetime(folder) {} }
        let child = folder.start("run", "main.lua", "--listen", "127.0.0.1:0")
        #expect(await child.hasWritten("/-/health"))
        child.signal(SIGTERM)
        let run = await child.end()
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(
            lines.dropFirst() == [
                "  /api/…     http://127.0.0.1:1/v1/", "  /any/…     absolute URLs only",
                "  /-/health  state of the host",
            ])
    }

    @Test(arguments: [
        ("", ["--listen", "0.0.0.0:0"], true), ("rest.gateway { listen = \"0.0.0.0:0\" }", [], true),
        ("rest.gateway { listen = \"0.0.0.0:0\" }", ["--listen", "127.0.0.1:0"], false),
        (
            "rest.gateway { listen = \"127.0.0.1:0\", auth = { bearer = \"x\" } }",
            ["--listen", "0.0.0.0:0"], false
        ),
    ]) func `it warns of a gateway that is open to all`(line: String, options: [String], warns: Bool) async {
        let folder = ScriptFolder.service(at: "http://127.0.0.1:1", line)
        defer { withExtendedLifetime(folder) {} }
        let child = ChildProcess([BuiltProgram.path, "run", "main.lua"] + options, in: folder.path)
        #expect(await child.hasWritten("/-/health"))
        child.signal(SIGTERM)
        let run = await child.end()
        #expect(run.errors.contains("listens on all addresses of this machine ('0.0.0.0:0')") == warns)
    }

    @Test func `with nothing to do it says so`() async {
        let run = await ScriptFolder.service(at: "http://127.0.0.1:1").run("run", "main.lua")
        #expect(run.code == 0)
        #expect(run.errors.hasPrefix("main.lua: nothing to run: it starts no job and declares no gateway\n"))
        #expect(run.errors.contains("hint: --listen 127.0.0.1:8080 serves its services"))
    }

    @Test func `a job that ended at once was something to run`() async {
        let run = await ScriptFolder.service(
            at: "http://127.0.0.1:1", "rest.spawn(function() print('done') end)"
        ).run("run", "main.lua")
        #expect(run.code == 0 && run.output == "done\n")
    }

    @Test func `an error in a timer is an error of the run`() async {
        let run = await ScriptFolder("rest.after(0, function() error('no') end)").run("run", "main.lua")
        #expect(run.code == 1)
        #expect(run.errors.contains("error a timer: no  (main.lua:2)"), "\(run.errors)")
    }

    @Test func `calls that a recursion repeats are reported once`() async {
        let run = await ScriptFolder("local function f() return f() + 1 end\nf()").run("run", "main.lua")
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("main.lua:2: error: stack overflow\n"))
        #expect(run.errors.contains("    at main.lua:2: in upvalue 'f' ("), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count < 12, "\(run.errors)")
    }

    private static let unusable: [(script: String, arguments: [String], message: String)] = [
        ("local x = = 3", [], "main.lua:2: error: unexpected symbol near '='"),
        ("print(nil .. 1)", [], "main.lua:2: error: attempt to concatenate a nil value"),
        ("rest.gateway { expose = { a = {} } }", [], "main.lua:2: error: the gateway exposes 'a'"),
        (
            "rest.gateway { listen = \"somewhere\" }", [],
            "main.lua:2: error: 'somewhere' is no address to listen on"
        ),
        (
            "", ["--listen", "somewhere"],
            "error: 'somewhere' is no address to listen on: the port is missing"
        ),
        ("", ["--listen", "127.0.0.1:99999"], "the port must be 0 to 65535"),
        (
            "", ["--listen", "unix:/nowhere/socket"],
            "the folder of the socket unix:/nowhere/socket does not exist"
        ),
        ("", ["--listn", "127.0.0.1:0"], "Unknown option '--listn'"),
        ("", ["--gateway-threads", "0"], "--gateway-threads must be 1 or more"),
        ("", ["--drain", "long"], "The value 'long' is invalid for '--drain"),
    ]

    @Test(arguments: unusable)
    func `what can't run is reported`(wrong: (script: String, arguments: [String], message: String)) async {
        let folder = ScriptFolder(wrong.script)
        let run = await ChildProcess(
            [BuiltProgram.path, "run", "main.lua"] + wrong.arguments, in: folder.path
        ).end()
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
    }

    @Test func `an address in use is named, with what to do`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let run = await ScriptFolder("").run("run", "main.lua", "--listen", "127.0.0.1:\(peer.port)")
        #expect(run.code == 2)
        #expect(run.errors.contains("another program is listening on 127.0.0.1:\(peer.port)"))
        #expect(run.errors.contains("hint: stop it, or choose another address"))
    }

    @Test func `a script that isn't there is named`() async {
        let run = await ScriptFolder("").run("run", "nowhere.lua")
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("nowhere.lua: error: cannot read the script: "))
    }
}
