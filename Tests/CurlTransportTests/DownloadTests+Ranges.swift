import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Ranges of files, where the caller, a retry or a redirect has a part in them.
extension DownloadTests {
    private func load(
        _ peer: LoopbackPeer, headers: Headers = Headers(),
        _ edit: @escaping @EngineActor (inout Configuration) -> Void
    ) async throws {
        let service = try Service(
            engine: Engine(transport: CurlTransport()), name: "a", baseURL: peer.baseURL)
        service.configure { edit(&$0) }
        var options = RequestOptions()
        options.file = "\(folder.path)/file"
        options.headers = headers
        _ = try await service.resource("/x").request(.get, options).entity()
    }

    @Test func `41.1 56.4 a part that the caller asked for is asked for again as it was`() async throws {
        let fields = [("Content-Range", "bytes 5-9/10"), ("ETag", "\"1\"")]
        let peer = LoopbackPeer { request, connection in
            guard request.headers["Range"] == "bytes=5-9" else {
                return connection.respond(text: "wholeparts")
            }
            guard request.connection > 1 else {
                let lines = fields.map { "\($0): \($1)\r\n" }.joined()
                connection.send("HTTP/1.1 206 Partial Content\r\n\(lines)Content-Length: 5\r\n\r\npa")
                return connection.close()
            }
            connection.respond(206, headers: fields, text: "parts")
        }
        let headers = Headers([("Range", "bytes=5-9"), ("If-Range", "\"1\"")])
        try await load(peer, headers: headers) { configuration in
            configuration.retry = RetryPolicy()
            configuration.retry?.base = .nanoseconds(1)
        }
        #expect(bytes == Array("parts".utf8))
        #expect(peer.requests.map { $0.headers["Range"] } == ["bytes=5-9", "bytes=5-9"])
    }

    @Test func `56.4 a rest without its condition, behind a redirect elsewhere, is no file`() async throws {
        let other = LoopbackPeer { request, connection in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return connection.respond(body: Self.whole)
            }
            connection.respond(
                206, headers: [("Content-Range", "bytes \(start)-299999/300000")],
                body: Array(Self.whole[start...]))
        }
        let target = other.baseURL + "/there"
        let peer = Self.cut { _, connection in connection.respond(307, headers: [("Location", target)]) }
        try await load(peer) { $0.redirects.keepHeaders = ["Range"] }
        #expect(bytes == Self.whole)
        #expect(other.requests.map { $0.headers["Range"] == nil } == [false, true])
        #expect(other.requests.allSatisfy { $0.headers["If-Range"] == nil })
    }
}
