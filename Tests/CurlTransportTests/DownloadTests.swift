import CurlTransport
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Bodies that go into files, over connections that break.
@EngineActor
struct DownloadTests {
    private let folder = TemporaryFolder()
    private nonisolated static let whole = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private var path: String { "\(folder.path)/file" }

    private func download(
        _ peer: LoopbackPeer, _ edit: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> Entity {
        try await request(peer, edit).entity()
    }

    private func request(
        _ peer: LoopbackPeer, _ edit: (inout RequestOptions) -> Void = { _ in }
    ) throws -> Request {
        let engine = Engine(transport: CurlTransport())
        let service = try Service(engine: engine, name: "a", baseURL: peer.baseURL)
        var options = RequestOptions()
        options.file = path
        edit(&options)
        return service.resource("/x").request(.get, options)
    }

    private var bytes: [UInt8]? { try? WholeFile.read(path, limit: 1 << 20) }

    /// Cuts the first answer in the middle, and gives the others as `rest` says.
    private static func cut(
        tag: String? = "\"1\"", _ rest: @escaping @Sendable (PeerRequest, PeerConnection) -> Void
    ) -> LoopbackPeer {
        let count = Mutex(0)
        return LoopbackPeer { request, connection in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number == 1 else { return rest(request, connection) }
            let field = tag.map { "ETag: \($0)\r\n" } ?? ""
            connection.send("HTTP/1.1 200 OK\r\n\(field)Content-Length: \(whole.count)\r\n\r\n")
            connection.send(Array(whole[..<100_000]))
            connection.close()
        }
    }

    @Test func `56.3 a body goes into a file, in one step`() async throws {
        folder.write("file", "old")
        let peer = LoopbackPeer { _, connection in connection.respond(body: Self.whole) }
        let entity = try await download(peer)
        #expect(bytes == Self.whole && folder.names(in: ".") == ["file"])
        #expect(entity.status == 200 && entity.content.tree?["path"]?.string == path)
        #expect(entity.content.tree?["bytes"]?.int == 300_000)
        #expect(peer.requests.first?.headers["Accept-Encoding"] == "identity")
    }

    @Test func `56.4 what a cut has left is gone on with`() async throws {
        let peer = Self.cut { request, connection in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            connection.respond(
                206,
                headers: [("Content-Range", "bytes \(start)-299999/300000"), ("ETag", "\"1\"")],
                body: Array(Self.whole[start...]))
        }
        let request = try request(peer)
        let entity = try await request.entity()
        #expect(bytes == Self.whole && entity.status == 200 && entity.etag == "\"1\"")
        let times = request.attempts.map(\.began)
        #expect(times.count == 2 && times[0] < times[1], "each says when it was sent itself")
        let second = try #require(peer.requests.last)
        #expect(second.headers["If-Range"] == "\"1\"" && peer.requests.count == 2)
        #expect(second.headers["Range"]?.hasPrefix("bytes=") == true)
    }

    @Test func `56.4 a file that has become another begins anew`() async throws {
        let peer = Self.cut { _, connection in connection.respond(headers: [("ETag", "\"2\"")], text: "new") }
        #expect(try await download(peer).etag == "\"2\"")
        #expect(bytes == Array("new".utf8))
    }

    @Test func `56.4 a server without such a rest is asked for all of it`() async throws {
        let peer = Self.cut { request, connection in
            if request.headers["Range"] == nil {
                connection.respond(text: "small")
            } else {
                connection.respond(416, headers: [("Content-Range", "bytes */5")], text: "none")
            }
        }
        _ = try await download(peer)
        #expect(bytes == Array("small".utf8) && peer.requests.count == 3)
    }

    @Test(arguments: [nil, "W/\"1\""])
    func `56.3 56.4 without a strong tag a cut is the end, and the old file stays`(tag: String?) async throws
    {
        folder.write("file", "old")
        let peer = Self.cut(tag: tag) { _, connection in connection.respond(text: "again") }
        let error = await #expect(throws: RequestError.self) { try await self.download(peer) }
        #expect(error?.code == "connection_failed" && peer.requests.count == 1)
        #expect(bytes == Array("old".utf8))
        // It is removed behind what was being written.
        for _ in 0..<100_000 where folder.names(in: ".").count > 1 { await Task.yield() }
        #expect(folder.names(in: ".") == ["file"])
    }

    @Test func `56.4 who gets nowhere doesn't ask forever`() async throws {
        let peer = LoopbackPeer { request, connection in
            let range = request.headers["Range"] == nil
            let head = range ? "200 OK" : "206 Partial Content\r\nContent-Range: bytes 100-299/300"
            connection.send("HTTP/1.1 \(head)\r\nETag: \"1\"\r\nContent-Length: \(range ? 300 : 200)\r\n\r\n")
            if range { connection.send([UInt8](repeating: 1, count: 100)) }
            connection.close()
        }
        let error = await #expect(throws: RequestError.self) { try await self.download(peer) }
        #expect(error?.code == "connection_failed" && peer.requests.count == 2)
    }

    @Test func `56.6 what has begun to go to a receiver is not sent again`() async throws {
        let peer = Self.cut { _, connection in connection.respond(text: "again") }
        let service = try Service(
            engine: Engine(transport: CurlTransport()), name: "a", baseURL: peer.baseURL)
        service.configure { $0.retry = RetryPolicy() }
        let receiver = PiecesReceiver()
        let request = service.resource("/x").request(.get)
        #expect(request.giveBody(to: receiver))
        let error = await #expect(throws: RequestError.self) { try await request.entity() }
        #expect(error?.code == "connection_failed" && peer.requests.count == 1)
        #expect(receiver.bytes == Array(Self.whole[..<receiver.bytes.count]))
    }

    @Test func `56.1 the body of an error is the error's, and no file is made`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.respond(404, headers: [("Content-Type", "text/plain")], text: "none")
        }
        let error = await #expect(throws: RequestError.self) { try await self.download(peer) }
        #expect(error?.httpStatusCode == 404 && error?.entity?.content.text == "none")
        #expect(folder.names(in: ".").isEmpty)
    }

    @Test func `a place that can't be written is said`() async throws {
        let peer = LoopbackPeer { _, connection in connection.respond(body: Self.whole) }
        let error = await #expect(throws: RequestError.self) {
            try await self.download(peer) { $0.file = "/none/file" }
        }
        #expect("\(try #require(error))".contains("cannot write '/none/file': No such file or directory"))
    }
}
