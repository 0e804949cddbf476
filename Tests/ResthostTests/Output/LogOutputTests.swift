import RestEngine
import TestSupport
import Testing

/// The outputs of a script's prints and log entries, and their form.
struct LogOutputTests {
    private static var time: Regex<Substring> { #/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /# }

    private static let script = """
        print("one", 2)
        io.write("three\\n", "fo", "ur\\n")
        io.stderr:write("said aside\\n")
        warn("care")
        rest.log.info("five", { name = "a b" })
        """

    @Test func `run prints to standard output and logs, with times, to standard error`() async {
        let run = await ScriptFolder(Self.script).run("run", "main.lua")
        #expect(run.code == 0)
        #expect(run.output == "one\t2\nthree\nfour\n")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.firstMatch(of: Self.time) != nil }, "\(run.errors)")
        #expect(
            lines.map { $0.replacing(Self.time, with: "") } == [
                "warn  said aside", "warn  care", "info  five name=\"a b\"  (main.lua:6)",
            ])
    }

    @Test func `times can be left out, and a quiet host prints what the script prints`() async {
        let folder = ScriptFolder(Self.script)
        let plain = await folder.run("run", "main.lua", "--no-log-time")
        #expect(plain.errors.hasPrefix("warn  said aside\nwarn  care\ninfo  five"), "\(plain.errors)")
        let quiet = await folder.run("run", "main.lua", "--quiet")
        #expect(quiet.output == plain.output && quiet.errors.isEmpty)
    }

    @Test func `a log in JSON is an object in each line`() async throws {
        let folder = ScriptFolder(
            "rest.log.info('five\\nsix', { a = 'b' }) rest.after(0, function() error('no') end)")
        let run = await folder.run("run", "main.lua", "--log-format", "json")
        #expect(run.code == 1)
        let lines = try run.errors.split(separator: "\n").map { try Tree(json: String($0)) }
        try #require(lines.count == 2, "\(run.errors)")
        #expect(lines[0]["level"] == "info" && lines[0]["message"] == "five\nsix")
        #expect(lines[0]["place"] == "main.lua:2" && lines[0]["fields"]?["a"] == "b")
        #expect(lines[0]["time"]?.string.flatMap { InternetTime.seconds($0) } != nil)
        #expect(lines[1]["level"] == "error" && lines[1]["message"] == "a timer: no")
    }

    @Test func `the engine's log has times and durations`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() api:resource('/a'):get() end)")
        let run = await folder.run("run", "main.lua", "--log", "network")
        #expect(
            run.errors.contains(#/^\d{4}-\S+Z network +│ 200 OK GET http://\S+/a in \d+ ms\n/#),
            "\(run.errors)")
    }

    @Test func `get keeps what is printed apart from the content`() async {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(
                headers: [("Content-Type", "text/plain")], body: Array("\u{1B}[1mbody\r\0".utf8))
        }
        let run = await ScriptFolder.service(at: peer.baseURL, "print(\"printed\u{1B}[2J\")")
            .run("get", "main.lua", "/a")
        #expect(run.output == "\u{1B}[1mbody\r\0")
        #expect(run.errors == "printed\\u{1b}[2J\n")
    }

    @Test func `text of servers and scripts moves no cursor and makes no line`() async {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(
                404, headers: [("X-Bad", "a\u{1B}[31mb\u{9B}c"), ("Content-Type", "text/plain")])
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            """
            api:configure("/b", function(c) c.headers["X-Note"] = "\u{85}d" end)
            api:configure("/c", { description = "nice\\nmain.lua:1: error: forged\\27[2J" }, function(c) c.retry_time = 2 end)
            api:configure_transformer("/d", function() end)
            rest.log.error("lost\\nmain.lua:1: error: forged\\r\\27[2J")
            """)
        for arguments in [
            ["get", "main.lua", "/a", "--include"], ["explain", "main.lua", "/b"],
            ["explain", "main.lua", "/c"],
        ] {
            let run = await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
            let text = run.output + run.errors
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
                }, "\(text.debugDescription)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("main.lua:1") }, "\(text)")
        }
    }
}
