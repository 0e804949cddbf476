import TestSupport
import Testing

/// `get --curl` and `explain --curl`.
struct CurlCommandTests {
    private let peer = LoopbackPeer { request in
        PeerConnection.response(
            headers: [("Set-Cookie", "id=4f2a4f2a; Max-Age=600; Path=/")], body: Array(request.target.utf8))
    }

    @Test func `cookies of a file and credentials of Digest are there`() async {
        let folder = ScriptFolder(
            """
            local api = rest.service {
              name = "api", base_url = "\(peer.baseURL)", transport = { cookies = { path = "cookies.db" } },
            }
            api:configure("/d", function(c) c:decorate_requests(rest.auth.digest("me", "s3cret-word")) end)
            """)
        func get(_ arguments: String...) async -> ChildProcess.Outcome {
            await ChildProcess([BuiltProgram.path, "get", "main.lua"] + arguments, in: folder.path).end()
        }
        #expect(await get("/a").code == 0)
        let requests = peer.requests.count
        let shown = await get("/d", "--curl", "--with-secrets")
        #expect(
            shown.output
                == "curl '\(peer.baseURL)/d' -H 'Cookie: id=4f2a4f2a' --digest -u 'me:s3cret-word'\n",
            "\(shown.errors)")
        #expect(shown.errors.isEmpty && shown.code == 0)
        let masked = await get("/d", "--curl")
        #expect(masked.output == "curl '\(peer.baseURL)/d' -H 'Cookie: ***' --digest -u '***'\n")
        #expect(peer.requests.count == requests)
    }

    @Test func `a decorator that answers is named, one that repeats is not`() async {
        let folder = ScriptFolder.service(
            at: peer.baseURL,
            """
            api:configure("/made", function(c)
              c:decorate_requests(function() return rest.custom_request { start = print } end)
            end)
            api:configure("/other", function(c)
              c:decorate_requests(function() return api:resource("/b"):request("GET") end)
            end)
            api:configure("/renewed", function(c)
              c:decorate_requests(rest.refresh_on(401, function() end))
              c:decorate_requests(rest.auth.basic("me", "s3cret-word"))
            end)
            api:configure("/broken", function(c) c:decorate_requests(function() error("no") end) end)
            """)
        for (path, place) in [("/made", "main.lua:4"), ("/other", "main.lua:7")] {
            let run = await folder.run("get", "main.lua", path, "--curl")
            #expect(run.output == "curl '\(peer.baseURL)\(path)'\n")
            #expect(
                run.errors.hasPrefix("warning: the decorator at \(place) answers the request itself"),
                "\(run.errors)")
        }
        let renewed = await folder.run("explain", "main.lua", "/renewed", "--curl", "--with-secrets")
        #expect(renewed.output.hasSuffix(" -H 'Authorization: Basic bWU6czNjcmV0LXdvcmQ='\n"))
        #expect(renewed.errors.isEmpty)
        let broken = await folder.run("get", "main.lua", "/broken", "--curl")
        #expect(broken.errors.hasPrefix("warning: the decorator at main.lua:13 fails: "), "\(broken.errors)")
        #expect(peer.requests.isEmpty)
    }

    @Test func `a job that has not run is named beside secrets`() async {
        let folder = ScriptFolder.service(at: peer.baseURL, "rest.spawn(function() rest.sleep(1) end)")
        let run = await folder.run("get", "main.lua", "/a", "--curl", "--with-secrets")
        #expect(run.errors.hasPrefix("warning: the job at main.lua:3 has not run"), "\(run.errors)")
        #expect(await folder.run("get", "main.lua", "/a", "--curl").errors.isEmpty)
    }
}
