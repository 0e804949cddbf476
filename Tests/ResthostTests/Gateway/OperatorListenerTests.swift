import Platform
import RestEngine
import TestSupport
import Testing

/// `[operator]` of `resthost.toml` and `--operator`, as the program's clients see them (rule 66.10).
struct OperatorListenerTests {
    private struct Host {
        let folder = ScriptFolder.service(
            at: "http://127.0.0.1:9",
            """
            rest.service { name = "hidden", base_url = "http://127.0.0.1:9" }
            rest.gateway { listen = "127.0.0.1:0", expose = { api = {} }, auth = { tokens = {
              { name = "page", token = "page" }, { name = "ops", token = "ops", operator = true } } } }
            """)

        /// Writes the settings in one step, because the program may read at any moment.
        func set(_ text: String) {
            folder.write(text, to: "resthost.toml~")
            rename("\(folder.path)/resthost.toml~", "\(folder.path)/resthost.toml")
        }

        func start(_ arguments: String...) async -> ChildProcess {
            let program = ChildProcess(
                [BuiltProgram.path, "run", "main.lua", "--admin", "admin.sock"] + arguments, in: folder.path)
            #expect(await program.hasWritten("state of the host"))
            return program
        }
    }

    /// The ports behind a text of the output, the oldest first.
    private func ports(_ text: String, _ program: ChildProcess) -> [Int] {
        program.output.split(separator: "\n").filter { $0.hasPrefix(text) }.compactMap {
            Int($0.split(separator: ":").last ?? "")
        }
    }

    private func status(_ target: String, _ port: Int, token: String? = nil) -> String? {
        let field = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let answer = try? LoopbackClient(port: port).exchange(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(field)\r\n")
        return answer.map { String($0.dropFirst(9).prefix(3)) }
    }

    private func end(_ program: ChildProcess) async {
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    @Test func `66.10 operators on this machine see all services without a token`() async throws {
        let host = Host()
        host.set("[operator]\nlisten = \"127.0.0.1:0\"")
        let program = await host.start()
        #expect(await program.hasWritten("operators at http://127.0.0.1:"))
        let port = try #require(ports("operators at ", program).last)
        let answer = try LoopbackClient(port: port).exchange(
            "GET /-/services HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix(#"{"services":["api","hidden"]}"#), "\(answer)")
        #expect(status("/-/metrics", port) == "200" && status("/api/a", port) == "404")
        let clients = try #require(ports("listening on ", program).last)
        #expect(status("/-/metrics", clients, token: "ops") == "403")
        #expect(status("/-/ready", clients) == "200")
        let shown = await host.folder.run("status", "--admin", "admin.sock")
        #expect(shown.output.contains("  operators    http://127.0.0.1:\(port)\n"), "\(shown.output)")
        await end(program)
    }

    @Test func `66.10 a reload adds, changes and removes the address`() async throws {
        let host = Host()
        let program = await host.start()
        let clients = try #require(ports("listening on ", program).last)
        #expect(status("/-/metrics", clients, token: "ops") == "200")
        host.set("[operator]\nlisten = \"127.0.0.1:0\"")
        #expect(await program.hasReported("generation 2\n"))
        let first = try #require(ports("operators at ", program).last)
        #expect(status("/-/metrics", first) == "200")
        #expect(status("/-/metrics", clients, token: "ops") == "403")
        // An address that can't be changes nothing.
        host.set("[operator]\nlisten = \"0.0.0.0:0\"\nserver-names = []")
        host.folder.write("local rest = require 'resthost'", to: "main.lua")
        #expect(await program.hasReported("generation 2 goes on"))
        #expect(program.errors.contains("other machines reach '0.0.0.0:0'"), "\(program.errors)")
        #expect(status("/-/metrics", first) == "200")
        host.set("[operator]\nlisten = [\"127.0.0.2:0\"]")
        #expect(await program.hasReported("generation 3\n"))
        #expect(await program.hasWritten("operators at http://127.0.0.2:"))
        #expect(status("/-/metrics", first) == nil)
        host.set("")
        #expect(await program.hasReported("generation 4\n"))
        await end(program)
    }

    @Test func `66.10 addresses of operators and clients may change places in one reload`() async throws {
        let host = Host()
        let ports = LoopbackPeer.unusedPorts(2)
        let (first, second) = (ports[0], ports[1])
        func settings(_ clients: Int..., operators: Int) -> String {
            let listen = clients.map { "\"127.0.0.1:\($0)\"" }.joined(separator: ", ")
            return "[gateway]\nlisten = [\(listen)]\n[operator]\nlisten = \"127.0.0.1:\(operators)\""
        }
        host.set(settings(first, operators: second))
        let program = await host.start()
        #expect(status("/-/metrics", second) == "200" && status("/-/metrics", first) == "401")
        for generation in 2...3 {
            let (clients, operators) = generation == 2 ? (second, first) : (first, second)
            host.set(settings(clients, operators: operators))
            #expect(await program.hasReported("generation \(generation)\n"))
            for _ in 1...3 {
                #expect(status("/-/metrics", operators) == "200" && status("/-/metrics", clients) == "401")
                #expect(status("/-/ready", clients) == "200")
            }
        }
        // A reload that fails, here for an address in use, leaves each where it is.
        let busy = LoopbackPeer { _ in PeerConnection.response(body: []) }
        host.set(settings(second, busy.port, operators: first))
        #expect(await program.hasReported("generation 3 goes on"))
        #expect(status("/-/metrics", second) == "200" && status("/-/metrics", first) == "401")
        await end(program)
    }

    @Test func `66.10 an open address is refused at the start, unless credentials are asked for`()
        async throws
    {
        let bare = ScriptFolder.service(at: "http://127.0.0.1:9", "rest.gateway { listen = '127.0.0.1:0' }")
        bare.write("[operator]\n\nlisten = \"0.0.0.0:0\"", to: "resthost.toml")
        let refused = await bare.run("run", "main.lua")
        #expect(refused.code == 2)
        #expect(refused.errors.hasPrefix("resthost.toml:3: error: operators: other machines reach"))
        #expect(refused.errors.contains("token-sha256 = "))
        #expect(await bare.run("check", "main.lua").code == 2)
        let asked = await bare.run("run", "main.lua", "--operator", "0.0.0.0:0")
        #expect(asked.code == 2 && asked.errors.hasPrefix("error: operators: "))

        // The hash of "secret".
        bare.write(
            "[operator]\nlisten = \"0.0.0.0:0\"\n"
                + "token-sha256 = \"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\"",
            to: "resthost.toml")
        let program = bare.start("run", "main.lua", "--admin", "off")
        #expect(await program.hasWritten("operators at http://0.0.0.0:"))
        let port = try #require(ports("operators at ", program).last)
        #expect(status("/-/metrics", port) == "401" && status("/-/health", port) == "200")
        #expect(status("/-/metrics", port, token: "secret") == "200")
        await end(program)

        // A token of the script that makes operators is enough, and others are of no use there.
        let host = Host()
        let own = await host.start("--operator", "0.0.0.0:0")
        let place = try #require(ports("operators at ", own).last)
        #expect(status("/-/metrics", place) == "401" && status("/-/metrics", place, token: "page") == "401")
        #expect(status("/-/metrics", place, token: "ops") == "200")
        await end(own)
    }

    @Test func `66.10 a test of the script meets the clients' gateway`() async throws {
        let host = Host()
        host.set("[operator]\nlisten = \"127.0.0.1:9090\"")
        host.folder.write(
            """
            local t = require "resthost.test"
            t.test("metrics are elsewhere", function()
              local host = t.load "main.lua"
              t.equal(host:request("GET", "/-/metrics", { client = "ops" }).status, 403)
              t.equal(host:request("GET", "/-/ready").status, 200)
            end)
            """, to: "main_test.lua")
        let outcome = await host.folder.run("test")
        #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `66.10 a renewed certificate of operators is taken`() async throws {
        let host = Host()
        host.folder.write(TestCertificates.server, to: "ops.pem")
        host.folder.write(TestCertificates.serverKey, to: "ops.key")
        host.set("[operator]\nlisten = \"127.0.0.1:0\"\ncertificate = \"ops.pem\"\nkey = \"ops.key\"")
        let program = await host.start()
        #expect(await program.hasWritten("operators at https://127.0.0.1:"))
        host.folder.write(TestCertificates.secondKey, to: "ops.key")
        #expect(await program.hasReported("'ops.key' can't be used for TLS: it is not the key"))
        host.folder.write(TestCertificates.second, to: "ops.pem")
        #expect(await program.hasReported("new connections get what ops.pem has now"))
        await end(program)
    }
}
