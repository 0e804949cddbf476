import RestFixtures
import TestSupport
import Testing

/// The server as a program uses it that imports the module.
struct ServingTextsTests {
    private static let texts = ["users/octocat.json": #"{"id":1}"#, "/private/notes.json": "[]"]

    private func ask(_ server: FixtureServer, _ line: String) throws -> String {
        let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
        return try LoopbackClient(port: port).exchange(
            "\(line) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `texts are served, counted and listed`() async throws {
        let server = try FixtureServer.start(texts: Self.texts, protected: ["users/o*"])
        #expect(server.url.hasPrefix("http://127.0.0.1:"))
        #expect(try ask(server, "GET /private/notes").hasPrefix("HTTP/1.1 401 "))
        #expect(try ask(server, "GET /users/octocat").hasPrefix("HTTP/1.1 401 "))
        #expect(try ask(server, "GET /users").hasSuffix("\r\n\r\n[]"))
        #expect(server.requestCounts == ["/private/notes": 1, "/users": 1, "/users/octocat": 1])
        #expect(server.listing.contains("/users/octocat  needs a token"))
        try await server.stop()
    }

    @Test func `a reset takes back what was written, on demand`() async throws {
        let server = try FixtureServer.start(texts: Self.texts)
        #expect(try ask(server, "DELETE /users/octocat").hasPrefix("HTTP/1.1 204 "))
        server.reset()
        #expect(server.requestCounts.isEmpty)
        #expect(try ask(server, "GET /users/octocat").hasPrefix("HTTP/1.1 404 "))
        server.reset(all: true)
        #expect(try ask(server, "GET /users/octocat").hasSuffix(#"{"id":1}"#))
        try await server.stop()
    }

    @Test(arguments: ["8080", "unix:/tmp/x", "example.org:80"])
    func `an address that is none is refused`(listen: String) {
        #expect(throws: FixtureServerError.self) {
            try FixtureServer.start(texts: [:], listen: listen)
        }
    }

    @Test func `a folder that isn't there is refused by its name`() {
        #expect {
            try FixtureServer.start(folder: "/nowhere")
        } throws: {
            "\($0)" == "cannot serve the folder /nowhere: No such file or directory"
        }
    }
}
