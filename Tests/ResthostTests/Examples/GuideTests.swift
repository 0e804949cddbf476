import Platform
import RestEngine
import TestSupport
import Testing

struct GuideTests {
    private static let scriptPages =
        ["README.md"]
        + DocumentPages.below(
            "docs/start", "docs/guides", "docs/cookbook", "docs/operating", "docs/migrating", "docs/reference"
        )
    private static let swiftPages =
        DocumentPages.below("docs/swift") + [
            "docs/migrating/async-http-client.md",
            "Sources/LuaRuntime/LuaRuntime.docc/LuaRuntime.md",
            "Sources/RestClient/RestClient.docc/RestClient.md",
            "Sources/RestFixtures/RestFixtures.docc/RestFixtures.md",
            "Sources/RestLogging/RestLogging.docc/RestLogging.md",
            "Sources/RestMetrics/RestMetrics.docc/RestMetrics.md",
            "Sources/RestTracing/RestTracing.docc/RestTracing.md",
            "Sources/RestLifecycle/RestLifecycle.docc/RestLifecycle.md",
        ]

    @Test func `the pages are found`() {
        #expect(Self.scriptPages.count > 20)
        #expect(Self.scriptPages.contains("docs/guides/gateway.md"))
        #expect(Self.swiftPages.count > 5)
    }

    @Test(arguments: scriptPages) func `the Lua of a page is sound`(page: String) async throws {
        let prelude = """
            local rest = require "resthost"
            local api = rest.service { name = "api", base_url = "http://127.0.0.1:8081" }

            """
        let quickstart = try ["main.lua", "stars.lua"].map { try TextFile.read("examples/quickstart/" + $0) }
        var files: [String: String] = [:]
        for block in Transcript.blocks("lua", in: try TextFile.read(page)) {
            // A piece of an example, which has tests of its own.
            if quickstart.contains(where: { $0.contains(block.text) }) { continue }
            let folder = TemporaryFolder()
            for (name, text) in files { folder.write(name, text) }
            folder.write("api.internal.pem", TestCertificates.server)
            folder.write("api.internal.key", TestCertificates.serverKey)
            folder.write("clients.pem", TestCertificates.authority)
            if let name = block.fileName { files[name] = block.text }
            if block.isTest && !Self.isComplete(block, files) { continue }
            let name = block.isTest ? "guide_test.lua" : "guide.lua"
            folder.write(name, block.isTest || block.isScript ? block.text : prelude + block.text)
            let variables = Set(block.text.matches(of: /rest\.env\.(\w+)/).map { String($0.1) })
            let grants = block.isTest ? [] : variables.flatMap { ["--allow-env", $0] }
            let run = await ChildProcess(
                [BuiltProgram.path, block.isTest ? "test" : "check", name] + grants, in: folder.path,
                environment: Dictionary(
                    uniqueKeysWithValues: variables.map { ($0, "a value of it, as long as keys have to be") })
            ).end()
            #expect(run.code == 0, "\(page): \(run.output)\(run.errors)")
            #expect(!run.errors.contains("error "), "\(page): \(run.errors)")
        }
    }

    /// True for a test whose script is a block of the page, and that needs no recording.
    private static func isComplete(_ test: Transcript.Block, _ files: [String: String]) -> Bool {
        !test.text.contains(":replay(")
            && test.text.matches(of: /t\.load[ (]*"([^"]+)"/).allSatisfy { files[String($0.1)] != nil }
    }

    @Test(arguments: swiftPages) func `the Swift of a page is code that is compiled`(page: String) throws {
        // The program that `examples/swift-speed` compares is compiled there, on request.
        let sources = try [
            "Tests/ResthostTests/Examples/EngineGuide", "Tests/ResthostTests/Examples/FixturesGuide",
            "Tests/RestClientTests/ClientGuide", "Tests/RestTestingTests/TestingGuide",
            "Tests/AdapterTests/AdapterGuide",
            "examples/swift-speed/Sources/SwiftSpeed/PlainGitHub",
        ].map {
            try TextFile.read("\($0).swift")
        }
        let code = Self.lines(sources.joined(separator: "\n"))
        for block in Transcript.blocks("swift", in: try TextFile.read(page)) {
            #expect(code.contains(Self.lines(block.text)), "\(page): \(block.text)")
        }
    }

    /// The API for the engine's guide.
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

    @EngineActor
    private func summary() async throws -> String? {
        let scheduler = Scheduler()
        let transport = StubTransport(scheduler: scheduler)
        try transport.stub(
            method: .get, urlGlob: "https://people.test/users/*",
            .json(200, #"{"login": "octocat", "name": "Mona"}"#))
        let people = try Service(
            engine: Engine(transport: transport, scheduler: scheduler), name: "people",
            baseURL: "https://people.test")
        return try await summaries(of: people).resource("/summary/octocat").get().content.text
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
        #expect(try await summary() == "octocat is Mona")
    }

    @Test func `the fixtures' guide does what it says`() async throws {
        let (name, requests) = try await renameOctocat()
        #expect(name == "Lisa")
        #expect(requests == ["/users/octocat": 1])
    }

    @Test func `the Lua runtime's guide does what it says`() throws {
        #expect(try EngineGuide.sum() == 3)
    }

    /// The lines without indentation, which depends on the place of the code.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map(String.init)
    }
}
