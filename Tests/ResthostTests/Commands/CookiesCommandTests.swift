import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// `resthost cookies`, with a file that a service of the program made.
struct CookiesCommandTests {
    @Test func `58.8 58.9 cookies are kept, listed and wiped`() async throws {
        let peer = LoopbackPeer { request in
            let cookies = [
                "sid=canary-1234; Max-Age=600; HttpOnly", "temporary=1",
                "theme=dark; Max-Age=600; Path=/deep",
            ]
            let had = request.headers["Cookie"] ?? "none"
            return PeerConnection.response(headers: cookies.map { ("Set-Cookie", $0) }, body: Array(had.utf8))
        }
        let folder = ScriptFolder(
            """
            rest.service { name = "shop", base_url = "\(peer.baseURL)", standard_transformers = {},
              transport = { cookies = { path = "cookies.db" } } }
            """)
        func run(_ arguments: String...) async -> ChildProcess.Outcome {
            await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
        }
        func get() async -> String {
            await run("get", "main.lua", "/x", "--allow-read", ".", "--allow-write", ".").output
        }
        #expect(await get() == "none")
        #expect(await get() == "sid=canary-1234")
        let list = await run("cookies", "cookies.db")
        #expect(list.code == 0 && list.output.contains("sid=***") && list.output.contains("theme=***"))
        #expect(
            list.output.contains("http only") && !list.output.contains("canary")
                && !list.output.contains("temporary"))
        let json = await run("cookies", "cookies.db", "--json", "--with-secrets", "--service", "shop")
        #expect(json.output.contains(#""value":"canary-1234""#))
        #expect(await run("cookies", "cookies.db", "--domain", "other").output.isEmpty)
        #expect(await run("cookies", "cookies.db", "--wipe").output == "wiped 2 cookies\n")
        #expect(await run("cookies", "cookies.db", "--wipe").code == 1)
        #expect(await run("cookies", "none.db").code == 2)
    }
}
