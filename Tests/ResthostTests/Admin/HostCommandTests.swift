import Platform
import TestSupport
import Testing

/// `status`, `reload`, `invalidate` and `wipe` with hosts in a folder of the test.
struct HostCommandTests {
    private let folder = ScriptFolder.service(
        at: "http://127.0.0.1:1/v1?key=s3cret",
        """
        held = {}
        for i = 1, 3 do
          held[i] = api:resource("/r" .. i)
          held[i]:override_local_content("x")
        end
        rest.every(3600, function() end)
        """)

    private let runtime = RuntimeFolder()

    private func start(_ arguments: String...) -> ChildProcess {
        ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--verbose"] + arguments, in: folder.path,
            environment: environment)
    }

    private func run(_ arguments: String...) async -> ChildProcess.Outcome {
        await ChildProcess([BuiltProgram.path] + arguments, in: folder.path, environment: environment).end()
    }

    private var environment: [String: String] { ["XDG_RUNTIME_DIR": runtime.path] }

    private var sockets: [String] {
        runtime.sockets
    }

    @Test func `without a host they say so, with a code of its own`() async {
        for command in [["status"], ["reload"], ["invalidate"], ["wipe", "api"], ["status", "--pid", "1"]] {
            let run = await ChildProcess(
                [BuiltProgram.path] + command, in: folder.path, environment: environment
            ).end()
            #expect(run.code == 3)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("running host"), "\(run.errors)")
        }
        let named = await run("status", "--admin", "/nowhere/x.sock")
        #expect(named.code == 3)
        #expect(
            named.errors.hasPrefix(
                "resthost: no host answers at /nowhere/x.sock: No such file or directory\n"))
        let both = await run("status", "--admin", "/x", "--pid", "1")
        #expect(both.code == 2)
    }

    @Test func `status tells of the only host, which leaves nothing behind`() async {
        let child = start("--listen", "127.0.0.1:0")
        #expect(await child.hasReported("commands are taken at \(runtime.path)/resthost/"))
        let status = await run("status")
        #expect(status.code == 0)
        #expect(status.errors.isEmpty)
        for text in [
            "script       main.lua in /", "generation   1, loaded ", "(at the start)",
            "gateway      http://127.0.0.1:", "jobs         1\n", "api  http://127.0.0.1:1/v1/  3 resources",
        ] { #expect(status.output.contains(text), "\(text) in \(status.output)") }
        #expect(!status.output.contains("s3cret"))
        let json = await run("status", "--json")
        #expect(json.output.contains("\"script\": \"main.lua\""))
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        #expect(sockets.isEmpty)
    }

    @Test func `services are invalidated and wiped by name`() async {
        let child = start()
        #expect(await child.hasReported("commands are taken at "))
        let all = await run("invalidate")
        #expect(all.output == "invalidated api: blocks run again when next needed\n")
        #expect(await run("invalidate", "api").code == 0)
        let unknown = await run("invalidate", "apo")
        #expect(unknown.code == 2)
        #expect(unknown.errors == "resthost: there is no service 'apo'; the services are: api\n")
        #expect(await run("wipe", "api", "/r1").output == "wiped 1 resource of api\n")
        #expect(await run("wipe", "api").output == "wiped 3 resources of api\n")
        let bad = await run("wipe", "api", "a#b")
        #expect(bad.code == 2)
        #expect(bad.errors.hasPrefix("resthost: the pattern: "))
        child.signal(SIGTERM)
        _ = await child.end()
    }

    @Test func `of several hosts one must be chosen, and the dead are forgotten`() async {
        let (first, second) = (start(), start())
        #expect(await first.hasReported("commands are taken at "))
        #expect(await second.hasReported("commands are taken at "))
        let numbers = sockets.compactMap { $0.split(separator: ".").first.map(String.init) }
        guard numbers.count == 2 else {
            Issue.record("\(sockets)")
            return
        }
        let choice = await run("status")
        #expect(choice.code == 2)
        #expect(choice.errors.hasPrefix("resthost: several hosts are running; choose one:\n"))
        for number in numbers {
            // Both have the same name, so each has its folder.
            let words = ["--pid", number, "main.lua", "in"]
            let lines = choice.errors.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains { $0.starts(with: words) }, "\(choice.errors)")
            let one = await run("status", "--pid", number)
            #expect(one.code == 0)
            #expect(one.output.contains(", process \(number), "))
            #expect(await run("status", "--admin", "\(runtime.path)/resthost/\(number).sock").code == 0)
        }
        first.signal(SIGKILL)
        _ = await first.end()
        #expect(sockets.count == 2)
        let rest = await run("status")
        #expect(rest.code == 0)
        #expect(sockets.count == 1)
        second.signal(SIGTERM)
        _ = await second.end()
    }

    @Test func `the socket can be elsewhere or nowhere`() async {
        let child = start("--admin", "here.sock")
        #expect(await child.hasReported("commands are taken at "))
        #expect(await run("status").code == 3)
        #expect(await run("status", "--admin", "here.sock").code == 0)
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        let off = start("--admin", "off")
        #expect(await off.hasReported("watching main.lua"))
        #expect(sockets.isEmpty)
        off.signal(SIGTERM)
        #expect(await off.end().code == 0)
        let nowhere = await run("run", "main.lua", "--admin", "/nowhere/x.sock")
        #expect(nowhere.code == 2)
        #expect(nowhere.errors.contains("the folder of the socket unix:/nowhere/x.sock does not exist"))
    }

    @Test func `a folder that is open to others is not trusted`() async {
        mkdir(runtime.path + "/resthost", 0o755)
        let child = start()
        #expect(await child.hasReported("no admin socket, so 'resthost status' can't find this host: "))
        #expect(await child.hasReported("watching main.lua"))
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        let status = await run("status")
        #expect(status.code == 2)
        #expect(status.errors.contains("is open to others: chmod 700"))
    }
}
