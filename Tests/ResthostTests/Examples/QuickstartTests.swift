import Platform
import RestEngine
import TestSupport
import Testing

struct QuickstartTests {
    private let script = BuiltProgram.repository + "/examples/quickstart/run"
    private let environment = ["RESTHOST": BuiltProgram.path, "RESTHOST_LISTEN": "127.0.0.1:0"]

    @Test func `once asks for what it suggests and ends`() async throws {
        let run = await ChildProcess([script, "--once"], in: "/", environment: environment).end()
        #expect(run.code == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count > 5, "\(run.output)")
        #expect(lines[0].hasPrefix("$ curl -s http://127.0.0.1:") && lines[0].hasSuffix("/api/users/octocat"))

        let user = try Tree(json: String(lines[1]))
        #expect(user.count == 4)
        #expect(user["login"]?.string == "octocat")
        #expect(user["member_since"]?.string == "2014-03-02")

        let repositories = try Tree(json: String(lines[3]))
        #expect(repositories.count == 9)
        let stars = repositories.elements.compactMap { $0["stars"]?.int }
        #expect(stars == stars.sorted(by: >))

        // No function changes the notes, so they arrive as the API sends them, over several lines.
        let notes = try Tree(json: lines[5...].joined(separator: "\n"))
        #expect(notes.elements.compactMap { $0["id"]?.int } == [1, 2])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it stays until a signal and takes both servers with it`(signal: Int32) async {
        let run = ChildProcess([script], in: "/", environment: environment)
        #expect(await run.hasWritten("Ctrl-C stops both."))
        run.signal(signal)
        // The end of the output means that all processes that it started have ended.
        let outcome = await run.end()
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("/api/private/notes"))
    }

    @Test func `an address that is in use is named`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let taken = ["RESTHOST_LISTEN": "127.0.0.1:\(peer.port)", "RESTHOST": BuiltProgram.path]
        let run = await ChildProcess([script, "--once"], in: "/", environment: taken).end()
        #expect(run.code == 1)
        #expect(run.errors.contains("another program is listening on 127.0.0.1:\(peer.port)"))
    }

    @Test func `wrong usage and a missing program are reported`() async {
        let usage = await ChildProcess([script, "--nonsense"], in: "/", environment: environment).end()
        #expect(usage.code == 2)
        #expect(usage.errors.hasPrefix("usage: "))
        let missing = await ChildProcess([script], in: "/", environment: ["RESTHOST": "/nowhere/resthost"])
            .end()
        #expect(missing.code == 2)
        #expect(missing.errors.contains("make build"))
    }

    @Test(arguments: ["main.lua", "stars.lua"])
    func `check finds nothing wrong with its scripts`(name: String) async {
        let run = await BuiltProgram.run("check", name, in: BuiltProgram.repository + "/examples/quickstart")
        #expect(run.code == 0)
        #expect(run.errors.hasPrefix("\(name): no errors; 1 service"))
    }
}
