import Platform
import RestEngine
import TestSupport
import Testing

/// The program while its script changes.
struct RunReloadTests {
    /// A program that serves a script. Its answers contain the version that made them, and its upstream
    /// answers that data is unchanged.
    private struct Host {
        let folder = TemporaryFolder()
        let peer = LoopbackPeer { request in
            request.headers["If-None-Match"] == nil
                ? PeerConnection.response(
                    headers: [("Content-Type", "text/plain"), ("ETag", "\"e\"")], body: Array("from ".utf8))
                : PeerConnection.response(304, headers: [("ETag", "\"e\"")])
        }

        /// Writes each file in one step, and no more than one other file for each reload, because the program
        /// may read at any moment.
        func save(_ version: String, tool: String = "return '!'", more: String = "") {
            replace("tool.lua", tool)
            replace(
                "main.lua",
                """
                local rest = require "resthost"
                local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
                local tool = require "tool"
                api:configure_transformer("**", function(content) return content .. "\(version)" .. tool end)
                \(more)
                """)
        }

        private func replace(_ name: String, _ text: String) {
            folder.write(name + "~", text)
            rename("\(folder.path)/\(name)~", "\(folder.path)/\(name)")
        }

        func start(_ arguments: String...) async throws -> (program: ChildProcess, port: Int) {
            let program = ChildProcess(
                [BuiltProgram.path, "run", "main.lua", "--listen", "127.0.0.1:0", "--admin", "admin.sock"]
                    + arguments, in: folder.path)
            #expect(await program.hasWritten("state of the host"))
            let address = try #require(
                program.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") }
            )
            return (program, try #require(Int(address.split(separator: ":")[2])))
        }

        /// The body of an answer.
        func get(_ path: String, _ port: Int) throws -> String {
            let answer = try LoopbackClient(port: port).exchange(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return answer.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? answer
        }
    }

    @Test func `61.3 new certificates are taken while it runs, and broken ones named`() async throws {
        let host = Host()
        host.folder.write("server.pem", TestCertificates.server)
        host.folder.write("server.key", TestCertificates.serverKey)
        host.save("one", more: "rest.gateway { tls = { certificate = 'server.pem', key = 'server.key' } }")
        let program = ChildProcess(
            [
                BuiltProgram.path, "run", "main.lua", "--listen", "127.0.0.1:0", "--admin", "admin.sock",
                "--operator", "127.0.0.1:0", "--allow-read", ".",
            ],
            in: host.folder.path)
        #expect(await program.hasWritten("operators at http://127.0.0.1:"))
        #expect(program.output.contains("listening on https://127.0.0.1:"))
        let place = program.output.split(separator: "\n").first { $0.hasPrefix("operators at ") }
        let operators = try #require(place.flatMap { Int($0.split(separator: ":").last ?? "") })
        #expect(try host.get("/-/health", operators) == #"{"status":"ok","services":["api"]}"#)
        let ends = try host.get("/-/metrics", operators).split(separator: "\n").first {
            $0.hasPrefix(#"resthost_gateway_certificate_expiry_timestamp_seconds{certificate="server.pem"} "#)
        }
        #expect(Double(ends?.split(separator: " ").last ?? "") ?? 0 > 1.7e9)
        host.folder.write("server.key", TestCertificates.secondKey)
        #expect(
            await program.hasReported(
                "main.lua:5: error: 'server.key' can't be used for TLS: it is not the key of the certificate")
        )
        #expect(await program.hasReported("the gateway goes on with the certificates that it has"))
        let health = try host.get("/-/health", operators)
        #expect(health.contains("\"degraded\"") && health.contains("the one before it goes on"), "\(health)")
        let renewal = "resthost_gateway_certificate_renewal_successful "
        #expect(try host.get("/-/metrics", operators).contains(renewal + "0\n"))
        host.folder.write("server.pem", TestCertificates.second)
        #expect(await program.hasReported("new connections get what server.pem has now"))
        #expect(try host.get("/-/health", operators) == #"{"status":"ok","services":["api"]}"#)
        #expect(try host.get("/-/metrics", operators).contains(renewal + "1\n"))
        #expect(!program.errors.contains("generation"))
        program.signal(SIGTERM)
        _ = await program.end()
    }

    @Test func `a saved file is served, a broken one changes nothing but the health`() async throws {
        let host = Host()
        host.save("one")
        let (program, port) = try await host.start()
        #expect(try host.get("/api/a", port) == "from one!")
        host.save("two")
        #expect(await program.hasReported("generation 2\n"))
        #expect(try host.get("/api/a", port) == "from two!")
        host.save("two", tool: "return '?'")
        #expect(await program.hasReported("./tool.lua changed: generation 3\n"))
        #expect(try host.get("/api/a", port) == "from two?")
        host.save("three", tool: "return '?'", more: "local x = = 1")
        #expect(await program.hasReported("not reloaded"))
        #expect(await program.hasReported("main.lua:5: error: unexpected symbol near '='"))
        #expect(await program.hasReported("  5 | local x = = 1\n    | ^"))
        #expect(try host.get("/api/a", port) == "from two?")
        let health = try host.get("/-/health", port)
        #expect(health.contains(#""status":"degraded""#))
        #expect(health.contains("main.lua:5: unexpected symbol near '='"))
        let status = await BuiltProgram.run("status", "--admin", "\(host.folder.path)/admin.sock")
        #expect(status.code == 0 && status.output.contains("generation   3"))
        #expect(status.output.contains("main.lua:5: error: unexpected symbol near '='"))
        host.save("four", tool: "return '?'")
        #expect(await program.hasReported("generation 4\n"))
        #expect(try host.get("/-/health", port).contains(#""status":"ok""#))
        #expect(try host.get("/api/a", port) == "from four?")
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    @Test func `without a watch, a signal and a command reload`() async throws {
        let host = Host()
        host.save("one")
        let (program, port) = try await host.start("--no-watch")
        host.save("two")
        let admin = "\(host.folder.path)/admin.sock"
        let reload = await BuiltProgram.run("reload", "--admin", admin)
        #expect(reload.code == 0 && reload.output.contains("generation 2"))
        #expect(try host.get("/api/a", port) == "from two!")
        host.save("three", more: "\nerror('not yet')")
        let refused = await BuiltProgram.run("reload", "--admin", admin)
        #expect(refused.code == 2 && refused.errors.contains("main.lua:6: error: not yet"))
        #expect(try host.get("/api/a", port) == "from two!")
        host.save("four")
        program.signal(SIGHUP)
        #expect(await program.hasReported("at SIGHUP: generation 3\n"))
        #expect(try host.get("/api/a", port) == "from four!")
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    @Test func `what the script says of its gateway follows`() async throws {
        let host = Host()
        host.save("one", more: "rest.gateway { expose = { api = { paths = { '/a' } } } }")
        let (program, port) = try await host.start()
        #expect(
            try host.get("/api/a", port) == "from one!" && host.get("/api/b", port).contains("not_exposed"))
        host.save("one", more: "rest.gateway { expose = { api = { paths = { '/b' } } } }")
        #expect(await program.hasReported("generation 2\n"))
        #expect(
            try host.get("/api/b", port) == "from one!" && host.get("/api/a", port).contains("not_exposed"))
        host.save("one", more: "rest.gateway { expose = { other = {} } }")
        #expect(await program.hasReported("the gateway exposes 'other', but the script has no such service"))
        #expect(try host.get("/api/b", port) == "from one!")
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    @Test func `jobs of the old script end, and the last words are heard`() async throws {
        let host = Host()
        host.save(
            "one",
            more: "rest.every(0.01, function() print('old') end) rest.on_reload(function() print('bye') end)")
        let (program, _) = try await host.start()
        #expect(await program.hasWritten("old\n"))
        host.save("two", more: "rest.on_shutdown(function() rest.sleep(0.01) print('shut down') end)")
        #expect(await program.hasReported("generation 2\n"))
        program.signal(SIGTERM)
        let run = await program.end()
        #expect(run.code == 0 && run.output.hasSuffix("bye\nshut down\n"), "\(run.output)")
    }
}
