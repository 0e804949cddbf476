import Platform
import RestEngine
import TestSupport
import Testing

@testable import resthost

struct GetCommandTests {
    /// Answers with the request that it got.
    private let peer = LoopbackPeer { request in
        let body = Tree(pairs: [
            ("method", Tree(request.method)), ("target", Tree(request.target)), ("body", Tree(request.text)),
            ("type", Tree(request.headers["Content-Type"] ?? "")), ("x", Tree(request.headers["X"] ?? "")),
        ]).description
        return PeerConnection.response(
            headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    private func folder(_ more: String = "") -> ScriptFolder { .service(at: peer.baseURL + "/v1", more) }

    @Test func `content goes to standard output`() async throws {
        let run = await folder().run("get", "main.lua", "/a b?q=1")
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        #expect(try Tree(json: run.output)["target"]?.string == "/v1/a%20b?q=1")
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0))
    func `content that can't be written is an error`() async {
        let folder = folder()
        let run = await ChildProcess(
            ["/bin/sh", "-c", "exec '\(BuiltProgram.path)' get main.lua /a >/dev/full"], in: folder.path
        ).end()
        #expect(run.code == 1)
        #expect(run.errors == "error: cannot write to standard output: No space left on device\n")
    }

    @Test func `method, body and headers are as in curl`() async throws {
        let json = await folder().run("get", "main.lua", "api", "/a", "-d", #"{"b":1}"#, "-H", "X: y")
        let sent = try Tree(json: json.output)
        #expect(sent["method"]?.string == "POST")
        #expect(sent["body"]?.string == #"{"b":1}"#)
        #expect(sent["type"]?.string == "application/json")
        #expect(sent["x"]?.string == "y")

        let form = await folder().run("get", "main.lua", "/a", "-X", "put", "-d", "b=1")
        let put = try Tree(json: form.output)
        #expect(put["method"]?.string == "PUT")
        #expect(put["type"]?.string == "application/x-www-form-urlencoded")
    }

    @Test func `raw content is what the server sent`() async throws {
        let transformed = folder(
            "api:configure_transformer(\"/a\", function(t) return { only = t.method } end)")
        let cooked = await transformed.run("get", "main.lua", "/a")
        #expect(cooked.output == #"{"only":"GET"}"# + "\n")
        let raw = await transformed.run("get", "main.lua", "/a", "--raw")
        #expect(try Tree(json: raw.output)["target"]?.string == "/v1/a")
    }

    @Test(arguments: [("GET", 204), ("POST", 201), ("HEAD", 200)])
    func `D30 a success without a body prints nothing`(method: String, status: Int) async throws {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(status, headers: [("Content-Type", "application/json")], body: [])
        }
        let folder = ScriptFolder.service(at: peer.baseURL)
        let run = await folder.run("get", "main.lua", "/a", "-X", method)
        #expect(run.code == 0)
        #expect(run.output.isEmpty && run.errors.isEmpty)
        let outcome = try Tree(json: await folder.run("get", "main.lua", "/a", "-X", method, "--json").output)
        #expect(outcome["status"]?.int == Int64(status))
        #expect(outcome["content"]?.string?.isEmpty == true)
    }

    @Test func `head and timing go to standard error`() async {
        let run = await folder().run("get", "main.lua", "/a", "--include", "--timing")
        #expect(run.code == 0)
        #expect(run.errors.hasPrefix("HTTP/1.1 200 OK\nContent-Length: "))
        #expect(run.errors.contains("\ntiming of \(peer.baseURL)/v1/a\n"))
    }

    @Test(arguments: [
        ["-X", "DELETE"], ["-d", "{}"], ["-H", "X: y"], ["--raw"], ["-X", "PUT", "-d", "a=b", "--json"],
    ]) func `requests of all kinds have a timing`(options: [String]) async {
        let folder = folder()
        let run = await ChildProcess(
            [BuiltProgram.path, "get", "main.lua", "/a", "--timing"] + options, in: folder.path
        ).end()
        #expect(run.errors.hasPrefix("timing of \(peer.baseURL)/v1/a\n  name look-up "), "\(run.errors)")
        #expect(run.errors.contains("\n  total "))
    }

    @Test func `a request that sends nothing says so in place of a timing`() async {
        let folder = folder("api:computed('/sum', function() return { 1 } end)")
        let run = await folder.run("get", "main.lua", "/sum", "--timing")
        #expect(run.output == "[1]\n")
        #expect(run.errors == "timing: no message was sent\n")
    }

    @Test func `47.1 secrets of the head are hidden, for people and for programs`() async throws {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(
                headers: [("Set-Cookie", "s=canary-set"), ("Location", "/x?token=canary-place&page=2")],
                body: Array("fine".utf8))
        }
        let folder = ScriptFolder.service(at: peer.baseURL)
        let shown = await folder.run("get", "main.lua", "/a", "--include")
        #expect(
            shown.errors.contains("\nSet-Cookie: ***\nLocation: /x?token=***&page=2\n"), "\(shown.errors)")
        let outcome = try Tree(json: await folder.run("get", "main.lua", "/a", "--json").output)
        #expect(outcome["headers"]?["set-cookie"]?.string == "***")
        #expect(outcome["headers"]?["location"]?.string == "/x?token=***&page=2")
    }

    @Test func `the outcome is there for programs`() async throws {
        let run = await folder().run("get", "main.lua", "/a", "--json")
        #expect(run.code == 0)
        let outcome = try Tree(json: run.output)
        #expect(outcome["ok"]?.bool == true)
        #expect(outcome["status"]?.int == 200)
        #expect(outcome["url"]?.string == peer.baseURL + "/v1/a")
        #expect(outcome["http_version"]?.string == "1.1")
        #expect(outcome["headers"]?["content-type"]?.string == "application/json")
        #expect(outcome["timing"]?["total"]?.double != nil)
        #expect(outcome["content_kind"]?.string == "json")
        #expect(outcome["content"]?["method"]?.string == "GET")
    }

    @Test func `D37 what a cache answers has the head that it came with`() async throws {
        let folder = folder(
            #"""
            local kept = rest.cache.sqlite { path = "kept.db" }
            api:configure(function(c) c.pipeline.parsing.cache = kept end)
            """#)
        for isKept in [false, true] {
            let run = await folder.run("get", "main.lua", "/a", "--json", "--include")
            #expect(run.errors.hasPrefix("HTTP/1.1 200 OK\nContent-Length: "))
            let outcome = try Tree(json: run.output)
            #expect(outcome["status"]?.int == 200)
            #expect(outcome["url"]?.string == peer.baseURL + "/v1/a")
            #expect(outcome["http_version"]?.string == "1.1")
            #expect((outcome["timing"] == nil) == isKept)
        }
    }

    private static let unusable: [(arguments: [String], message: String)] = [
        (["nowhere.lua", "/a"], "nowhere.lua: error: cannot read the script: No such file or directory"),
        (["main.lua", "other", "/a"], "main.lua has no service 'other'; it has: api, second"),
        (["main.lua", "/a"], "main.lua has several services, name one of them: api, second"),
        (["none.lua", "/a"], "none.lua declares no service: use rest.service"),
        (["broken.lua", "/a"], "broken.lua:1: error: "),
        (["main.lua", "api", "/a", "-d", "@nowhere"], "cannot read 'nowhere': No such file or directory"),
        (["main.lua", "api", "/a", "-H", "X"], "'X' is not a header: it looks like 'Name: value'"),
        (["main.lua", "api", "/a", "-X", "G T"], "'G T' is not a method: it looks like GET or DELETE"),
        (["main.lua", "api", "/a", "/b"], "got 3 arguments"),
        (["main.lua"], "Missing expected argument"),
        (["main.lua", "/a", "--jsn"], "Unknown option '--jsn'"),
    ]

    @Test(arguments: unusable)
    func `an impossible request is reported`(wrong: (arguments: [String], message: String)) async {
        let folder = folder("rest.service { name = \"second\" }")
        folder.write("", to: "none.lua")
        folder.write("local x = = 3", to: "broken.lua")
        let run = await ChildProcess([BuiltProgram.path, "get"] + wrong.arguments, in: folder.path).end()
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
        #expect(peer.requests.isEmpty)
    }

    @Test(.wholeRunOnly, .enabled(if: access("/usr/bin/script", X_OK) == 0))
    func `on a terminal a slow request shows what it waits for`() async {
        let gate = Gate()
        let peer = LoopbackPeer { _, connection in
            gate.wait()
            connection.send(PeerConnection.response(body: Array("fine".utf8)))
        }
        let folder = ScriptFolder.service(at: peer.baseURL)
        let command = "exec \(BuiltProgram.path) get main.lua '/a?token=s3cret'"
        let child = ChildProcess(
            ["/usr/bin/script", "-qec", command, "/dev/null"], in: folder.path,
            environment: ["TERM": "xterm"])
        #expect(await child.hasWritten("GET \(peer.baseURL)/a?token=***, 1 s"))
        gate.open()
        let run = await child.end()
        #expect(run.code == 0)
        // The line is gone before the content comes.
        #expect(run.output.hasSuffix("\r\u{1B}[Kfine\r\n"), "\(run.output)")
    }

    @Test(arguments: [
        ("short", 80, "short"), ("a longer text", 10, "a longer…"), ("a\u{1b}b", 80, "a\\u{1b}b"),
    ])
    func `a progress line fits into the terminal`(text: String, columns: Int, shown: String) async {
        #expect(await ProgressLine.line(text, columns: columns) == shown)
    }

    @Test func `a progress line counts what moves`() async {
        var progress = TransferProgress()
        #expect(await ProgressLine.bytes(progress) == nil)
        (progress.bytesSent, progress.bytesToSend) = (1 << 20, 5 << 20)
        #expect(await ProgressLine.bytes(progress) == "1 MiB of 5 MiB sent")
        progress.bytesReceived = 300
        #expect(await ProgressLine.bytes(progress) == "300 bytes received")
    }
}
