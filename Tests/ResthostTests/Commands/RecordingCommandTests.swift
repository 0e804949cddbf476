import RestEngine
import TestSupport
import Testing

/// `--har`, `--record`, `--replay`, `--curl`.
struct RecordingCommandTests {
    private let peer = LoopbackPeer { request in
        if request.target == "/moved" { return PeerConnection.response(302, headers: [("Location", "/a")]) }
        let body = Tree(pairs: [("target", Tree(request.target)), ("sent", Tree(request.text))]).description
        return PeerConnection.response(
            headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    private let job = """
        rest.spawn(function()
          print(api:resource("/moved"):get().target)
          print(api:resource("/b"):request("POST", { json = { x = 1 } }):await().content.sent)
        end)
        """

    private func document(_ folder: ScriptFolder, _ name: String) throws -> Tree {
        try Tree(json: try #require(folder.text(of: name)))
    }

    @Test func `48.1 49.1 run replays its recording without sending requests`() async throws {
        let folder = ScriptFolder.service(at: peer.baseURL, job)
        let live = await folder.run("run", "main.lua", "--record", "a.har", "--har", "b.har")
        #expect(live.code == 0 && live.output == "/a\n{\"x\":1}\n", "\(live)")
        for name in ["a.har", "b.har"] {
            let document = try document(folder, name)
            #expect(HARSchema.faults(document) == [])
            #expect(document["log"]?["entries"]?.count == 3)
        }
        #expect(folder.names == ["a.har", "b.har", "main.lua"])
        let sent = peer.requests.count
        let replayed = await folder.run("run", "main.lua", "--replay", "a.har")
        #expect(replayed.code == 0 && replayed.output == live.output && replayed.errors == "", "\(replayed)")
        #expect(peer.requests.count == sent)
    }

    @Test func `49.8 files, pieces and events are recorded, and replayed as what they were`() async throws {
        let server = LoopbackPeer { request in
            switch request.target {
            case "/events":
                return PeerConnection.response(
                    headers: [("Content-Type", "text/event-stream")],
                    body: Array("data: one\n\ndata: two\n\n".utf8))
            default: return PeerConnection.response(body: Array("content of \(request.target)".utf8))
            }
        }
        let folder = ScriptFolder.service(
            at: server.baseURL,
            """
            api:configure("/events", function(c) c.stream = "events" end)
            rest.spawn(function()
              local entity = assert(api:resource("/file"):request("GET", { to_file = "out.txt" }):await())
              print(entity.content.bytes, rest.read_file("out.txt"))
              local text = ""
              print(rest.stream(api:define("GET", "pieces"), function(piece) text = text .. piece end).status, text)
              print(api:resource("/events"):load():await().content)
            end)
            """)
        let live = await folder.run("run", "main.lua", "--allow-write", ".", "--record", "a.har")
        #expect(
            live.code == 0
                && live.output == "16\tcontent of /file\n200\tcontent of /pieces\none\n", "\(live)")
        #expect(HARSchema.faults(try document(folder, "a.har")) == [])
        let sent = server.requests.count
        let replayed = await folder.run("run", "main.lua", "--allow-write", ".", "--replay", "a.har")
        #expect(replayed.code == 0 && replayed.output == live.output, "\(replayed)")
        #expect(server.requests.count == sent)
    }

    @Test func `48.6 a HAR has the headers that went over the wire`() async throws {
        let folder = ScriptFolder.service(at: peer.baseURL)
        let get = await folder.run("get", "main.lua", "/a", "-d", "{}", "--har", "get.har")
        #expect(get.code == 0, "\(get)")
        let entry = try #require(try document(folder, "get.har")["log"]?["entries"]?[0])
        let written = (entry["request"]?["headers"] ?? .null).elements.map { field in
            "\(field["name"]?.string?.lowercased() ?? ""): \(field["value"]?.string ?? "")"
        }
        let sent = try #require(peer.requests.last).headers.fields.map {
            "\($0.name.lowercased()): \($0.value)"
        }
        #expect(written.sorted() == sent.sorted())
    }

    @Test func `49.5 what the recording doesn't have fails by name`() async throws {
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.spawn(function() print(api:resource('/other'):get()) end)")
        folder.write(
            """
            {"log":{"entries":[{"request":{"method":"GET","url":"\(peer.baseURL)/others"},"response":{"status":200}}]}}
            """, to: "a.har")
        let run = await folder.run("run", "main.lua", "--replay", "a.har")
        #expect(
            run.output.contains(
                "a.har has no answer to GET \(peer.baseURL)/other; the nearest is entry 1, GET \(peer.baseURL)/others"
            ),
            "\(run)")
        #expect(peer.requests.isEmpty)
    }

    @Test(arguments: [
        (
            ["run", "main.lua", "--replay", "none.har"],
            "none.har: it can't be read: No such file or directory"
        ),
        (["run", "main.lua", "--replay", "main.lua"], "main.lua: it is not JSON"),
        (["run", "main.lua", "--record", "no/a.har"], "cannot write 'no/a.har'"),
        (["run", "main.lua", "--record", "a.har", "--har", "a.har"], "must be different files"),
        (["get", "main.lua", "/a", "--har", "no/a.har"], "cannot write 'no/a.har'"),
        (["get", "main.lua", "/a", "--with-secrets"], "--with-secrets goes with --curl"),
        (["get", "main.lua", "/a", "--curl", "--har", "a.har"], "--curl sends nothing"),
    ]) func `wrong files and options end with 2 and a reason`(arguments: [String], message: String) async {
        let folder = ScriptFolder.service(at: peer.baseURL)
        let run = await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
        #expect(run.code == 2 && run.errors.contains(message), "\(run)")
    }

    @Test func `get and test write HARs as well`() async throws {
        let folder = ScriptFolder.service(at: peer.baseURL)
        let get = await folder.run("get", "main.lua", "/moved", "--har", "get.har")
        #expect(get.code == 0 && get.output == #"{"target":"/a","sent":""}"# + "\n", "\(get)")
        #expect(try document(folder, "get.har")["log"]?["entries"]?.count == 2)

        folder.write(
            """
            local t = require "resthost.test"
            t.test("it", function()
              local host = t.load "main.lua"
              host:stub("GET", "/x", { json = { a = 1 } })
              t.assert(host.services.api:resource("/x"):get())
            end)
            """, to: "a_test.lua")
        let test = await folder.run("test", "--har", "test.har")
        #expect(test.code == 0, "\(test)")
        let document = try document(folder, "test.har")
        #expect(HARSchema.faults(document) == [] && document["log"]?["entries"]?.count == 1)
    }

    @Test func `a command line is printed, nothing is sent, and it runs as printed`() async throws {
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            "api:configure('**', function(c) c.headers.Authorization = 'Bearer it''s' end)"
                .replacing("it''s", with: "it\\'s"))
        let masked = await folder.run("get", "main.lua", "/a b", "-d", #"{"x":"it's"}"#, "--curl")
        #expect(masked.code == 0 && masked.errors == "")
        #expect(
            masked.output
                == "curl -X POST '\(peer.baseURL)/a%20b' -H 'Authorization: Bearer ***' "
                + #"-H 'Content-Type: application/json' --data-raw '{"x":"it'\''s"}'"# + "\n")
        let explained = await folder.run("explain", "main.lua", "/a", "--curl")
        #expect(explained.output == "curl '\(peer.baseURL)/a' -H 'Authorization: Bearer ***'\n")
        #expect(peer.requests.isEmpty)

        let whole = await folder.run(
            "get", "main.lua", "/a b", "-d", #"{"x":"it's"}"#, "--curl", "--with-secrets")
        let sent = await ChildProcess(["/bin/sh", "-c", "exec \(whole.output)"], in: folder.path).end()
        // Without curl the line can't be tried.
        if sent.code == 127 { return }
        #expect(sent.code == 0 && sent.output.contains(#""sent":"{\"x\":\"it's\"}""#), "\(sent)")
        #expect(peer.requests.last?.headers["Authorization"] == "Bearer it's")
    }
}
