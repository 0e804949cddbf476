import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Secrets of each kind, through everything that shows anything (rule 47.1).
struct CanaryTests {
    /// A failure says what it was sent.
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
            // What the text of a script itself says, in the excerpt of a diagnostic.
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
        let result = await withCheckedContinuation { continuation in
            _ = transport.send(TransportRequest(url: "http://localhost" + path)) {
                continuation.resume(returning: $0)
            }
        }
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
}
