import Platform
import RestEngine
import TestSupport
import Testing

/// A script's gateway options, as the program's clients see them.
struct RunGatewayTests {
    /// Runs the script; returns the program's output, and the answer to each request.
    private func run(
        _ gateway: String, asking requests: [String], _ arguments: String...
    ) async throws -> (answers: [String], run: ChildProcess.Outcome, sent: Int) {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("hello".utf8))
        }
        let folder = ScriptFolder.service(
            at: peer.baseURL, "rest.gateway { listen = \"127.0.0.1:0\", \(gateway) }")
        defer { withExtendedLifetime((folder, peer)) {} }
        let child = ChildProcess([BuiltProgram.path, "run", "main.lua"] + arguments, in: folder.path)
        #expect(await child.hasWritten("state of the host"))
        let address = try #require(
            child.output.split(separator: "\n").first { $0.hasPrefix("listening on http://127.0.0.1:") })
        let port = try #require(Int(address.split(separator: ":")[2]))
        let answers = try requests.map { request in
            let head = request.replacing("\n", with: "\r\n") + "\r\nConnection: close\r\n\r\n"
            return try LoopbackClient(port: port).exchange(head)
        }
        child.signal(SIGTERM)
        return (answers, await child.end(), peer.requests.count)
    }

    @Test func `names of the server are answered, and others get advice`() async throws {
        let host = "GET /api/a HTTP/1.1\nHost: "
        let (answers, _, _) = try await run(
            "server_names = { 'api.internal' }",
            asking: [host + "api.internal", host + "API.INTERNAL:8080", host + "other.internal"])
        #expect(
            answers[0].hasPrefix("HTTP/1.1 200 ") && answers[0].hasSuffix("\r\n\r\nhello"), "\(answers[0])")
        #expect(answers[1].hasPrefix("HTTP/1.1 200 "), "\(answers[1])")
        #expect(answers[2].hasPrefix("HTTP/1.1 421 "), "\(answers[2])")
        #expect(answers[2].contains(#"server_names = { \"other.internal\" }"#), "\(answers[2])")
    }

    @Test func `a script's limits hold`() async throws {
        let (answers, _, _) = try await run(
            "limits = { target_bytes = 256 }",
            asking: [
                "GET /api/a HTTP/1.1\nHost: localhost",
                "GET /api/\(String(repeating: "a", count: 256)) HTTP/1.1\nHost: localhost",
            ])
        #expect(answers.map { $0.prefix(13) } == ["HTTP/1.1 200 ", "HTTP/1.1 414 "])
    }

    @Test func `a host that is offline sends nothing, and says so`() async throws {
        let get = "GET /api/a HTTP/1.1\nHost: localhost"
        let (answers, outcome, sent) = try await run("", asking: [get, get], "--offline")
        for answer in answers {
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""offline""#), "\(answer)")
        }
        #expect(sent == 0 && outcome.code == 0)
    }

    @Test func `an access log has a line for each answer, and no secrets`() async throws {
        let requests = [
            "GET /api/a?b=c&token=s3cret HTTP/1.1\nHost: localhost", "HEAD /none HTTP/1.1\nHost: localhost",
            "nonsense",
        ]
        let text = try await run("access_log = true", asking: requests, "--no-log-time").run.errors
        #expect(!text.contains("s3cret"))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 3, "\(text)")
        #expect(lines[0].hasPrefix("info  GET /api/a?b=c&token=*** 200 OK bytes=5 seconds=0."), "\(lines[0])")
        #expect(
            lines[0].contains(" client=127.0.0.1 outcome=fetched version=HTTP/1.1 request_id="), "\(lines[0])"
        )
        #expect(lines[1].hasPrefix("info  HEAD /none 404 Not Found bytes=0 seconds=0."), "\(lines[1])")
        #expect(
            lines[1].contains(" outcome=refused code=unknown_service version=HTTP/1.1 request_id="),
            "\(lines[1])")
        #expect(lines[2].hasPrefix("info  - - 400 Bad Request bytes="), "\(lines[2])")

        let json = try await run("access_log = true", asking: [requests[0]], "--log-format", "json").run
            .errors
        let line = try Tree(json: json)
        #expect(line["level"]?.string == "info")
        #expect(line["message"]?.string == "GET /api/a?b=c&token=*** 200 OK")
        #expect(line["target"]?.string == "/api/a?b=c&token=***")
        #expect(line["status"]?.int == 200 && line["bytes"]?.int == 5)
        #expect(line["outcome"]?.string == "fetched" && line["version"]?.string == "HTTP/1.1")
        #expect(line["client"]?.string == "127.0.0.1" && line["seconds"]?.double != nil)
        #expect(line["time"]?.string != nil)

        let silent = try await run("", asking: requests).run.errors
        #expect(silent.isEmpty, "\(silent)")
    }
}
