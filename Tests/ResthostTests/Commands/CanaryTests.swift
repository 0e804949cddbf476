import CurlTransport
import Platform
import RestEngine
import TestSupport
import Testing

/// Secrets of each kind, through all outputs (rule 47.1).
struct CanaryTests {
    /// A failure repeats the request.
    private let peer = LoopbackPeer { request in
        let text = "you sent \(request.headers["X-Given"] ?? "") \(request.headers["X-Env"] ?? "")"
        let status = request.target.hasPrefix("/fail") ? 403 : 200
        return PeerConnection.response(
            status, headers: [("Content-Type", "application/json"), ("Set-Cookie", "s=canary-cookie")],
            body: Array(
                Tree(pairs: [("message", Tree(text)), ("access_token", "canary-field")]).description.utf8))
    }

    private func folder() -> ScriptFolder {
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            """
            local given = rest.secret "canary-given"
            local env = rest.env.CANARY_TOKEN
            api:configure("**", { description = "block " .. given }, function(c)
              c.headers.Authorization = "Bearer canary-header"
              c.headers["X-Canary-Named"] = "canary-named"
              c.headers["X-Given"] = given
              c.headers["X-Env"] = env
            end)
            api:configure("/broken", function(c) error("block " .. given .. env) end)
            api:configure_transformer("/transformed", function() error("transformer " .. given .. env) end)
            rest.on_event({ "request", "attempt", "response", "state" }, function(event)
              rest.log.info(rest.json.encode(event))
            end)
            local function try(path)
              local resource = api:resource(path):with_params{ api_key = "canary-query", given = given, env = env }
              local content, err = resource:get()
              rest.log.warn(tostring(err), { url = resource.url, env = env })
              print(path, given, err)
            end
            function asked()
              for _, path in ipairs { "/fine/" .. given, "/fail", "/broken", "/transformed" } do try(path) end
              rest.log.error("log " .. given .. " " .. env)
              io.stderr:write(given, env, "\\n")
              print(api:define("POST", { json = { password = "canary-body", x = given } }):curl())
            end
            """)
        folder.write(
            "[permissions]\nenv = [\"CANARY_TOKEN\"]\n[secrets]\nnames = [\"X-Canary-Named\"]\n",
            to: "resthost.toml")
        folder.write(
            folder.text(of: "main.lua")! + "rest.spawn(function() asked() error('job ' .. given) end)\n",
            to: "job.lua")
        folder.write(folder.text(of: "main.lua")! + "error('load ' .. given .. env)\n", to: "load.lua")
        folder.write(
            """
            local t = require "resthost.test"
            t.test("secrets", function()
              local host = t.load "main.lua"
              host:stub("GET", "**", { status = 403, json = {} })
              local secret = host.rest.secret "canary-given"
              host.services.api:resource("/x"):with_param("q", secret):get()
              t.equal(secret, "other")
            end)
            """, to: "a_test.lua")
        return folder
    }

    private func check(_ text: String, _ what: String) {
        for line in text.split(separator: "\n") where line.contains("canary-") && !line.contains("canary-\\")
        {
            // The excerpt of a diagnostic shows the script's own text.
            if line.contains("rest.secret \"canary-given\"") { continue }
            Issue.record("\(what): \(line)")
        }
    }

    /// The body of the answer.
    @EngineActor
    private func ask(_ path: String, at socket: String) async -> String {
        var options = TransportOptions()
        options.unixSocket = socket
        options.proxy = ""
        let transport = CurlTransport(options: options)
        let result = await transport.answer(to: TransportRequest(url: "http://localhost" + path))
        return (try? result.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    }

    @Test func `47.1 no log, error, explanation, recording or report has them`() async throws {
        let folder = folder()
        let commands = [
            ["run", "job.lua", "--record", "a.har", "--har", "b.har", "--log", "all"],
            ["run", "job.lua", "--log", "all", "--log-format", "json"], ["run", "load.lua"],
            ["check", "load.lua"], ["get", "main.lua", "/broken"],
            ["get", "main.lua", "/broken", "--json"],
            ["get", "main.lua", "/fine", "--curl", "-d", "password=canary-body"],
            ["explain", "main.lua", "/fine/x?api_key=canary-query"],
            ["explain", "main.lua", "/fine", "--json"],
            ["explain", "main.lua", "/broken"], ["explain", "main.lua", "/fine", "--curl"],
            ["test", "a_test.lua", "--har", "c.har"], ["test", "a_test.lua", "--format", "junit"],
            ["test", "a_test.lua", "--format", "tap"],
        ]
        for command in commands {
            let run = await ChildProcess(
                [BuiltProgram.path] + command, in: folder.path, environment: ["CANARY_TOKEN": "canary-env"]
            ).end()
            check(run.output, command.joined(separator: " ") + ", output")
            check(run.errors, command.joined(separator: " ") + ", errors")
        }
        #expect(
            peer.requests.contains {
                $0.headers["X-Env"] == "canary-env" && $0.target.contains("canary-given")
            })
        for name in ["a.har", "b.har", "c.har"] {
            let text = try #require(folder.text(of: name))
            #expect(text.contains("***"))
            #expect(HARSchema.faults(try Tree(json: text)) == [])
            check(text, name)
        }
    }

    @Test
    func `47.1 no status, resource list, explanation, problem or access log of a running host has them`()
        async throws
    {
        let folder = folder()
        let socket = "\(folder.path)/admin.sock"
        let child = ChildProcess(
            [
                BuiltProgram.path, "run", "job.lua", "--listen", "unix:\(folder.path)/public.sock", "--admin",
                socket, "--verbose",
            ], in: folder.path, environment: ["CANARY_TOKEN": "canary-env"])
        #expect(await child.hasReported("job ***"))
        for arguments in [["status", "--admin", socket], ["status", "--admin", socket, "--json"]] {
            let run = await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
            check(run.output + run.errors, arguments.joined(separator: " "))
        }
        for (place, path) in [
            ("public", "/api/broken"), ("public", "/api/transformed"), ("public", "/api/fail"),
            ("admin", "/-/resources"), ("admin", "/-/services"),
            ("admin", "/-/explain?service=api&path=/fine"),
            ("admin", "/-/explain?service=api&path=/broken"), ("admin", "/-/health"),
        ] {
            let answer = await ask(path, at: "\(folder.path)/\(place).sock")
            #expect(!answer.isEmpty)
            check(answer, path)
        }
        folder.write("nonsense", to: "job.lua")
        let reload = await ChildProcess([BuiltProgram.path, "reload", "--admin", socket], in: folder.path)
            .end()
        check(reload.output + reload.errors, "reload")
        child.signal(15)
        let run = await child.end()
        check(run.output + run.errors, "run")
    }

    /// One secret of each kind, as clients, APIs and scripts have them.
    private static let kinds = [
        "https://user:canary-url@api.test/", "https://api.test/?access_token=canary-parameter&page=2",
        "/base?access_token=canary-relative", "/back?code=canary-code-0123456789&state=5",
        "token=canary-pair", "password = \"canary-quoted\"", #"{"token":"canary-json"}"#,
        #"{"a":"{\"token\":\"canary-nested\"}"}"#, #"{"s":"password = \"canary-string\""}"#,
        #"{"token":canary-broken,}"#, #"{token:"canary-script"}"#, "Authorization: Bearer canary-head",
        #"{"token":"canary-cut"#,
    ]

    private static let script = """
        local kinds = { \(kinds.map { "[==[\($0)]==]" }.joined(separator: ", ")) }
        local all = table.concat(kinds, " | ")
        rest.on_event({ "request", "attempt", "response", "state" }, function(event)
          rest.log.info(rest.json.encode(event))
        end)
        local gateway = rest.gateway {}
        gateway:route("GET", "/boom", function() error(all) end)
        gateway:route("GET", "/asked", function()
          for _, kind in ipairs(kinds) do
            rest.log.info(kind, { text = kind, list = { kind } }) rest.log.write("network", kind)
            io.stderr:write(kind, "\\n")
            rest.spawn(function() error(kind) end)
          end
          for _, path in ipairs { "/fail", "/moved" } do
            local content, err = api:resource(path):with_param("access_token", "canary-asked"):get()
            print(content, err, kinds[1]) rest.log.warn(tostring(err), { Authorization = "canary-field" })
          end
          api:resource("/fail"):request("POST", { json = { text = all, list = kinds } }):await()
          return { ok = true }
        end)
        """

    /// Each head and body of an API may contain one.
    private static func answer(to request: PeerRequest) -> [UInt8] {
        if request.target.hasPrefix("/moved") {
            let place = "http://user:canary-moved@\(request.headers["Host"] ?? "")/fail?sig=canary-sig"
            return PeerConnection.response(302, headers: [("Location", place)])
        }
        let texts = Tree(pairs: [
            ("message", Tree(kinds.joined(separator: " | "))), ("list", Tree(kinds.map { Tree($0) })),
        ])
        return PeerConnection.response(
            403,
            headers: [
                ("Content-Type", "application/json"), ("Location", "/base?access_token=canary-location"),
                ("Link", "</x?token=canary-link>; rel=next"), ("Refresh", "0; url=/x?sig=canary-refresh"),
                ("Content-Location", "?api_key=canary-content-location"),
            ], body: Array(texts.description.utf8))
    }

    @Test func `47.1 a secret of each kind is in nothing that a host shows`() async throws {
        let peer = LoopbackPeer { Self.answer(to: $0) }
        let folder = ScriptFolder.service(at: peer.baseURL, Self.script)
        let (admin, open) = ("\(folder.path)/admin.sock", "\(folder.path)/open.sock")
        let child = folder.start(
            "run", "main.lua", "--dev", "--listen", "unix:\(open)", "--admin", admin, "--record", "a.har",
            "--har",
            "b.har",
            "--log", "all", "--access-log", "access.log", "--traces", peer.baseURL)
        #expect(await child.hasWritten("state of the host"))
        let events = try LoopbackClient(path: admin)
        events.send("GET /-/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        var seen = ["events": try #require(events.receive())]
        let query = "?api_key=canary-query&code=canary-code-0123456789"
        #expect(await ask("/asked" + query, at: open).contains("true"))
        for (path, socket) in [
            ("/boom" + query, open), ("/api/fail" + query, open), ("/none" + query, open),
            ("/-/resources", admin), ("/-/explain?service=api&path=/fail?api_key=canary-query", admin),
            ("/-/status", admin),
        ] {
            seen[path] = Array(await ask(path, at: socket).utf8)
        }
        child.signal(SIGTERM)
        let run = await child.end()
        while let more = events.receive() { seen["events"]?.append(contentsOf: more) }
        seen["output"] = Array(run.output.utf8)
        seen["errors"] = Array(run.errors.utf8)
        for name in ["a.har", "b.har", "access.log"] {
            seen[name] = Array(try #require(folder.text(of: name)).utf8)
        }
        seen["traces"] = peer.requests.filter { $0.target == "/v1/traces" }.flatMap(\.body)
        for (what, bytes) in seen {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.isEmpty, "\(what)")
            if !["/none" + query, "/-/status"].contains(what) { #expect(text.contains("***"), "\(what)") }
            check(text, what)
        }
    }
}
