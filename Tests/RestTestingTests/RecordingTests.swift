import RestClient
import RestTesting
import TestSupport
import Testing

struct RecordingTests {
    /// Records two calls to a server, whose second one sends a body.
    private func record(_ path: String) async throws -> String {
        let peer = LoopbackPeer { request in
            let login = request.method == "GET" ? "octocat" : "lisa"
            return PeerConnection.response(
                200, headers: [("Content-Type", "application/json")],
                body: Array(#"{"login": "\#(login)"}"#.utf8))
        }
        let service = try await Service(
            engine: Engine(transport: CurlTransport()), name: "api", baseURL: peer.baseURL)
        let recording = try await SessionRecording(of: service.engine, to: path)
        let users = try service.endpoint("users") { Header(.authorization, "Bearer secret") }
        try await users.get("octocat", as: User.self)()
        try await users.patch("octocat", as: User.self) { Body { User(login: "lisa") } }()
        try await recording.finish()
        #expect(recording.path == path)
        return peer.baseURL
    }

    @Test func `a session that was recorded answers without its server`() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/session.har"
        let address = try await record(path)
        let api = try await StubbedAPI(baseURL: address)
        try await api.replay(path)
        #expect(await api.unusedAnswers.count == 2)
        let users = try api.service.endpoint("users")
        #expect(try await users.get("octocat", as: User.self)().login == "octocat")
        #expect(await api.unusedAnswers.map { $0.contains("PATCH") } == [true])
        let call = users.patch("octocat", as: User.self) { Body { User(login: "lisa") } }
        #expect(try await call().login == "lisa")
        #expect(await api.unusedAnswers.isEmpty)
        let other = users.patch("octocat", as: User.self) { Body { User(login: "ada") } }
        await #expect { try await other() } throws: { "\($0)".contains("entry 2, PATCH") }
        await #expect(throws: UnmatchedRequests.self) { try await api.requireAllMatched() }
    }

    @Test func `bodies may differ, and stubs come first`() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/session.har"
        let address = try await record(path)
        let api = try await StubbedAPI(baseURL: address)
        try await api.replay(path, matchingBodies: false)
        try await api.stub(.get, "users/octocat", .json(#"{"login": "stub"}"#))
        let users = try api.service.endpoint("users")
        let other = users.patch("octocat", as: User.self) { Body { User(login: "ada") } }
        #expect(try await other().login == "lisa")
        #expect(try await users.get("octocat", as: User.self)().login == "stub")
        await #expect { try await users.get("ada", as: User.self)() } throws: {
            "\($0)".contains("the nearest is GET") && "\($0)".contains("has no answer to")
        }
    }

    @Test func `a file that is no recording is an error with its path`() async throws {
        let api = try await StubbedAPI()
        await #expect { try await api.replay("Fixtures/octocat.json") } throws: {
            "\($0)".hasSuffix("Fixtures/octocat.json: it is not a HAR: it has no 'log.entries'")
        }
        await #expect(throws: FileError.self) {
            _ = try await SessionRecording(of: api.engine, to: "/nowhere/session.har")
        }
    }
}
