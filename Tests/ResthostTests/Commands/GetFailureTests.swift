import RestEngine
import TestSupport
import Testing

struct GetFailureTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status = 200
        var headers: [(String, String)] = []
        var body: [UInt8] = []
        /// The message behind the URL.
        var message: String
        var code: String
    }

    private static let json = ("Content-Type", "application/json")

    private static let answers = [
        Answer(
            testDescription: "garbage for JSON", headers: [json], body: Array("<html>".utf8),
            message: "malformed JSON at byte 0", code: "malformed_json"),
        Answer(
            testDescription: "half of a document", headers: [json], body: Array(#"{"a": [1, 2"#.utf8),
            message: "malformed JSON", code: "malformed_json"),
        Answer(
            testDescription: "a blank for JSON", headers: [json], body: [0x20], message: "malformed JSON",
            code: "malformed_json"),
        Answer(
            testDescription: "a number", headers: [json], body: Array("3".utf8),
            message: "where an object or array is expected", code: "json_not_object_or_array"),
        Answer(
            testDescription: "too much", body: [UInt8](repeating: 0x61, count: 5000), message: "1000 bytes",
            code: "too_large"),
        Answer(
            testDescription: "a bomb", headers: [("Content-Encoding", "gzip")], body: Gzip.zeros(50 << 20),
            message: "1000 bytes", code: "too_large"),
        Answer(
            testDescription: "no gzip", headers: [("Content-Encoding", "gzip")], body: Array("plain".utf8),
            message: "decoded", code: "decoding_failed"),
        Answer(
            testDescription: "a strange charset", headers: [("Content-Type", "text/plain; charset=klingon")],
            body: [0x61], message: "unknown charset 'klingon'", code: "invalid_text_encoding"),
        Answer(
            testDescription: "no image", headers: [("Content-Type", "image/png")], body: [1, 2, 3],
            message: "not a PNG", code: "unparsable_image"),
        Answer(
            testDescription: "an error of its own", status: 500, headers: [json],
            body: Array(#"{"message":"broken"}"#.utf8), message: "Internal server error (500)",
            code: "http_5xx"),
    ]

    @Test(arguments: answers) func `a bad answer fails with a line that says why`(answer: Answer) async throws
    {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(answer.status, headers: answer.headers, body: answer.body)
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "api:configure(function(c) c.max_body_bytes = 1000 end)")
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.code == 1)
        let line = String(run.errors.prefix { $0 != "\n" })
        #expect(line.hasPrefix("resthost: GET \(peer.baseURL)/a: "), "\(run.errors)")
        #expect(line.contains(answer.message), "\(run.errors)")

        let report = await folder.run("get", "main.lua", "/a", "--json")
        #expect(report.code == 1)
        let outcome = try Tree(json: report.output)
        #expect(outcome["ok"]?.bool == false)
        let error = try #require(outcome["error"])
        #expect(error["code"]?.string == answer.code, "\(report.output)")
        #expect(error["url"]?.string == peer.baseURL + "/a")
        #expect(error["method"]?.string == "GET")
        #expect(error["attempt"]?.int == 1)
        #expect(error["detail"]?.string.map { "resthost: " + $0 } == line)
        #expect(error["message"]?.string?.isEmpty == false)
    }

    @Test func `the body that came with a failure is printed`() async {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(404, headers: [Self.json], body: Array(#"{"message":"no"}"#.utf8))
        }
        let run = await ScriptFolder.service(at: peer.baseURL).run("get", "main.lua", "/a")
        #expect(run.code == 1)
        #expect(run.output == #"{"message":"no"}"# + "\n")
        #expect(run.errors == "resthost: GET \(peer.baseURL)/a: Not found (404)\n")
    }

    @Test func `what the server says of it is in the line`() async throws {
        let body = #"{"errors":[{"code":"UNKNOWN","message":"manifest unknown"}]}"#
        let peer = LoopbackPeer { _ in
            PeerConnection.response(404, headers: [Self.json], body: Array(body.utf8))
        }
        let folder = ScriptFolder.service(at: peer.baseURL)
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.errors == "resthost: GET \(peer.baseURL)/a: Not found (404): manifest unknown\n")
        let report = await folder.run("get", "main.lua", "/a", "--json")
        let error = try #require(try Tree(json: report.output)["error"])
        #expect(error["detail"]?.string == "GET \(peer.baseURL)/a: Not found (404): manifest unknown")
        #expect(error["message"]?.string == "Not found")
    }

    @Test(arguments: [[], ["--json"]])
    func `content that can't be written down is no success`(options: [String]) async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response(headers: [Self.json], body: Array("{}".utf8)) }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "api:configure_transformer(\"**\", function() return { rate = 0/0 } end)")
        let run = await ChildProcess([BuiltProgram.path, "get", "main.lua", "/a"] + options, in: folder.path)
            .end()
        #expect(run.code == 2)
        #expect((run.output + run.errors).contains("rate: NaN and infinities have no JSON form"))
        if !options.isEmpty { #expect(try Tree(json: run.output)["ok"]?.bool == false) }
    }

    @Test func `a server that isn't there is named, with what to look at`() async {
        let place = "127.0.0.1:\(LoopbackPeer.unusedPort())"
        let address = "http://\(place)"
        let run = await ScriptFolder.service(at: address).run("get", "main.lua", "/a")
        #expect(run.code == 1)
        #expect(
            run.errors == """
                resthost: GET \(address)/a: cannot connect to the server: connection refused (\(place))
                  hint: is the server running, and is base_url right?

                """)
    }

    @Test func `a line that is cut is reported`() async {
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            connection.close()
        }
        let run = await ScriptFolder.service(at: peer.baseURL).run("get", "main.lua", "/a")
        #expect(run.code == 1)
        #expect(run.errors.hasPrefix("resthost: GET \(peer.baseURL)/a: "), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `a time-out says which setting gives more`() async {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "api:configure(function(c) c.timeouts.first_byte = 0.05 end)")
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.code == 1)
        #expect(run.errors.contains("hint: c.timeouts in a configuration block"), "\(run.errors)")
    }

    @Test func `a refusal beside a job that goes on names the job, and what would have waited for it`()
        async throws
    {
        let peer = LoopbackPeer { _ in PeerConnection.response(401) }
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            "local function log_in()\n  rest.sleep(60)\n  api:resource(\"/login\"):load():await()\nend\nrest.spawn(log_in)"
        )
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.code == 1)
        #expect(run.errors.contains("hint: the job at main.lua:3 still runs"), "\(run.errors)")
        #expect(run.errors.contains("rest.refresh_on(401, …)"), "\(run.errors)")
        let report = try Tree(json: await folder.run("get", "main.lua", "/a", "--json").output)
        #expect(report["error"]?["hint"]?.string?.contains("main.lua:3") == true)
    }

    @Test func `a job that logs in ends before the request is sent`() async {
        let peer = LoopbackPeer { request in
            switch (request.target, request.headers["Authorization"]) {
            case ("/login", _), ("/token", _):
                PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("s3cret".utf8))
            case ("/a", "Bearer s3cret"):
                PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("in".utf8))
            default: PeerConnection.response(401)
            }
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            """
            local token
            api:configure("/a", function(c) c.headers.Authorization = token and "Bearer " .. token end)
            rest.spawn(function()
              api:resource("/login"):request("POST", { json = {} }):await()
              token = api:resource("/token"):get()
              api:invalidate_configuration()
              rest.log.info("in")
              rest.sleep(60)
            end)
            rest.every(60, print)
            """)
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.output == "in", "\(run.errors)")
        #expect(run.errors == "info  in  (main.lua:9)\n")
        #expect(peer.requests.map(\.target) == ["/login", "/token", "/a"])
        // With this option get sends no request, so it waits for no job.
        #expect(await folder.run("get", "main.lua", "/a", "--offline").errors.contains("offline"))
    }

    @Test func `a URL that is none is not sent`() async {
        let run = await ScriptFolder.service(at: "http://127.0.0.1:1").run("get", "main.lua", "http://[::1")
        #expect(run.code == 1)
        #expect(run.errors.contains("'http://[::1' is not a URL"), "\(run.errors)")
    }

    @Test func `a script that fails is distinguished`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response(headers: [Self.json], body: Array("{}".utf8)) }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "api:configure_transformer(\"/a\", function(t) return t.user.name end)")
        let run = await folder.run("get", "main.lua", "/a")
        #expect(run.code == 2)
        #expect(
            run.errors.contains("main.lua:3: attempt to index a nil value (field 'user')"), "\(run.errors)")
    }

    @Test func `secrets of the URL are not shown`() async throws {
        let peer = LoopbackPeer { _ in PeerConnection.response(404) }
        let base = peer.baseURL.replacing("://", with: "://me:hunter2@") + "/?api_key=s3cret"
        let folder = ScriptFolder.service(at: base)
        for arguments in [["--timing"], ["--json"], ["--log", "all"]] {
            let run = await ChildProcess(
                [BuiltProgram.path, "get", "main.lua", "/a"] + arguments, in: folder.path
            ).end()
            #expect(run.code == 1)
            for text in [run.output, run.errors] {
                #expect(!text.contains("hunter2") && !text.contains("s3cret"), "\(arguments): \(text)")
            }
            #expect((run.output + run.errors).contains("/a?api_key=***"), "\(arguments)")
        }
    }
}
