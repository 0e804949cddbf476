import Platform
import RestEngine
import TestSupport
import Testing

struct GuideTests {
    private static let scriptGuides = [
        "WritingAScript", "ConfigurationBlocks", "ThePipeline", "TransformerModules", "WaitingAndJobs",
        "ObserversAndStatus", "ChainingRequests", "Caches", "TheGateway", "Errors", "Tools", "Reloading",
        "LimitsAndGrants", "DefiningRequests", "RetriesAndLimits", "UsersOfTheGateway",
        "ChangingThroughTheGateway",
    ].map { "Sources/RestScript/RestScript.docc/\($0).md" }
    private static let swiftGuides = [
        "Sources/RestEngine/RestEngine.docc/UsingTheEngine.md",
        "Sources/LuaRuntime/LuaRuntime.docc/LuaRuntime.md",
        "Sources/RestClient/RestClient.docc/RestClient.md",
        "Sources/RestClient/RestClient.docc/CallingAnAPI.md",
        "Sources/RestClient/RestClient.docc/CallingWithTypes.md",
        "Sources/RestFixtures/RestFixtures.docc/RestFixtures.md",
    ]

    @Test(arguments: scriptGuides) func `the Lua of a guide is sound`(guide: String) async throws {
        let prelude = """
            local rest = require "resthost"
            local api = rest.service { name = "api", base_url = "http://127.0.0.1:8081" }

            """
        let blocks = Transcript.blocks("lua", in: try TextFile.read(guide)).map { $0.joined(separator: "\n") }
        #expect(!blocks.isEmpty)
        // A block that begins with a file's name is that file, for those that come after it.
        var files: [String: String] = [:]
        for block in blocks {
            let folder = TemporaryFolder()
            for (name, text) in files { folder.write(name, text) }
            folder.write("api.internal.pem", TestCertificates.server)
            folder.write("api.internal.key", TestCertificates.serverKey)
            folder.write("clients.pem", TestCertificates.authority)
            if let name = block.firstMatch(of: /^-- (\S+\.lua)\n/)?.1 { files[String(name)] = block }
            folder.write("guide.lua", block.contains("require \"resthost\"") ? block : prelude + block)
            let run = await BuiltProgram.run("check", "guide.lua", in: folder.path)
            #expect(run.code == 0, "\(guide): \(run.errors)")
            #expect(!run.errors.contains("error "), "\(guide): \(run.errors)")
        }
    }

    @Test(arguments: swiftGuides) func `the Swift of a guide is code that is compiled`(guide: String) throws {
        let sources = try [
            "ResthostTests/Examples/EngineGuide", "ResthostTests/Examples/FixturesGuide",
            "RestClientTests/ClientGuide",
        ].map {
            try TextFile.read("Tests/\($0).swift")
        }
        let code = Self.lines(sources.joined(separator: "\n"))
        let blocks = Transcript.blocks("swift", in: try TextFile.read(guide))
        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(code.contains(Self.lines(block.joined(separator: "\n"))), "\(guide): \(block)")
        }
    }

    /// The API that the engine's guide asks.
    private func people() -> LoopbackPeer {
        LoopbackPeer { request in
            func answer(_ status: Int, _ json: String) -> [UInt8] {
                PeerConnection.response(
                    status, headers: [("Content-Type", "application/json")], body: Array(json.utf8))
            }
            guard request.headers["Accept"] == "application/json" else { return answer(400, "{}") }
            switch "\(request.method) \(request.target)" {
            case "GET /users/octocat":
                return answer(200, #"{"login": "octocat", "name": "Mona", "created_at": "2014"}"#)
            case "PATCH /users/octocat":
                return answer(200, #"{"login": "octocat", "name": "Lisa"}"#)
            case "GET /users/octocat/repos": return answer(200, #"[{"name": "ink"}, {"id": 1}]"#)
            case "POST /login": return answer(200, #"{"token": "t"}"#)
            case "GET /private/notes" where request.headers["Authorization"] == "Bearer t":
                return answer(200, "[1]")
            case "GET /private/notes": return answer(401, "{}")
            default: return answer(404, #"{"message": "nobody here"}"#)
            }
        }
    }

    @Test func `the engine's guide does what it says`() async throws {
        let peer = people()
        let (user, names, api) = try await EngineGuide.octocat(at: peer.baseURL)
        #expect(user == User(login: "octocat", name: "Mona", createdAt: "2014"))
        #expect(names == ["ink"])
        #expect(try await api.rename("octocat", to: "Lisa").name == "Lisa")
        #expect(await name(of: "octocat", in: api) == "Mona")
        #expect(await name(of: "nobody", in: api) == "nobody here")
        #expect(try await api.notes.get().json == [1])
        let resource = await api.user("octocat")
        await watch(resource, until: "Mona")
        #expect(await resource.snapshot.user == user)
        #expect(try await stubbed().login == "octocat")
    }

    @Test func `the fixtures' guide does what it says`() async throws {
        let (name, requests) = try await renameOctocat()
        #expect(name == "Lisa")
        #expect(requests == ["/users/octocat": 1])
    }

    @Test func `the Lua runtime's guide does what it says`() throws {
        #expect(try EngineGuide.sum() == 3)
    }

    @Test func `articles that link to each other exist`() throws {
        for guide in Self.scriptGuides + ["Sources/RestScript/RestScript.docc/RestScript.md"] {
            for link in try TextFile.read(guide).matches(of: /<doc:(\w+)>/) {
                let article = "\(BuiltProgram.repository)/Sources/RestScript/RestScript.docc/\(link.1).md"
                #expect(access(article, F_OK) == 0, "\(guide): \(link.1)")
            }
        }
    }

    /// Without indentation, which depends on where the code stands.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map(String.init)
    }
}
