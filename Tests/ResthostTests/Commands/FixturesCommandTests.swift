import Platform
import TestSupport
import Testing

struct FixturesCommandTests {
    @Test func `it serves until a signal`() async {
        let folder = ScriptFolder("")
        defer { withExtendedLifetime(folder) {} }
        let child = folder.start("fixtures", ".")
        #expect(await child.hasWritten("POST  /-/login"))
        child.signal(SIGINT)
        let run = await child.end()
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("listening on http://127.0.0.1:"))
    }

    private static let unusable: [(arguments: [String], message: String)] = [
        (["nowhere"], "cannot serve the folder nowhere: No such file or directory"),
        (["main.lua"], "cannot serve the folder main.lua: Not a directory"),
        (
            [".", "--listen", "x"],
            "cannot listen on x: the port is missing; expected IP:PORT, such as 127.0.0.1:0"
        ),
        ([".", "--token-lifetime", "0"], "--token-lifetime must be a number of seconds above 0"),
        ([], "Missing expected argument '<dir>'"),
    ]

    @Test(arguments: unusable)
    func `what can't be served is reported`(wrong: (arguments: [String], message: String)) async {
        let folder = ScriptFolder("")
        let run = await ChildProcess(
            [BuiltProgram.path, "fixtures"] + wrong.arguments, in: folder.path
        ).end()
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
    }

    @Test func `a port in use is named`() async {
        let peer = LoopbackPeer { _ in PeerConnection.response() }
        let run = await ScriptFolder("").run("fixtures", ".", "--listen", "127.0.0.1:\(peer.port)")
        #expect(run.code == 2)
        #expect(run.errors.contains("the port is in use; port 0 lets the system choose a free one"))
    }

    @Test func `help and version go to standard output`() async {
        for arguments in [["--help"], ["get", "--help"], ["--version"]] {
            let run = await ChildProcess([BuiltProgram.path] + arguments, in: "/").end()
            #expect(run.code == 0)
            #expect(run.errors.isEmpty)
            #expect(!run.output.isEmpty)
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
        }
    }
}
