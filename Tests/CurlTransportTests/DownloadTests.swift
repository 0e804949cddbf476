import CurlTransport
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Bodies that go into files, over connections that break.
@EngineActor
struct DownloadTests {
    let folder = TemporaryFolder()
    nonisolated static let whole = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private var path: String { "\(folder.path)/file" }

    func download(
        _ peer: LoopbackPeer, _ edit: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> Entity {
        try await request(peer, edit).entity()
    }

    func request(
        _ peer: LoopbackPeer, _ edit: (inout RequestOptions) -> Void = { _ in }
    ) throws -> Request {
        let engine = Engine(transport: CurlTransport())
        let service = try Service(engine: engine, name: "a", baseURL: peer.baseURL)
        var options = RequestOptions()
        options.file = path
        edit(&options)
        return service.resource("/x").request(.get, options)
    }

    var bytes: [UInt8]? { try? WholeFile.read(path, limit: 1 << 20) }

    /// Cuts the first answer in the middle. `rest` gives the others.
    static func cut(
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

    @Test func `56.4 a cut download goes on from its part`() async throws {
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

    /// The fields of a part that isn't the rest, and the place where its bytes begin.
    private nonisolated static func wrongPart(_ kind: String, _ start: Int) -> ([(String, String)], Int) {
        switch kind {
        case "earlier": ([("Content-Range", "bytes \(start - 5000)-299999/300000")], start - 5000)
        case "later": ([("Content-Range", "bytes \(start + 10)-299999/300000")], start + 10)
        case "unit": ([("Content-Range", "items \(start)-299999/300000")], start)
        case "count": ([("Content-Range", "bytes \(start)-299999/300001")], start)
        case "tag": ([("Content-Range", "bytes \(start)-299999/300000"), ("ETag", "\"2\"")], start)
        case "parts": ([("Content-Type", "multipart/byteranges; boundary=a")], start)
        case "longer": ([("Content-Range", "bytes \(start)-299999/300000")], start - 1)
        default: ([], start)
        }
    }

    @Test(arguments: ["earlier", "later", "unit", "count", "tag", "parts", "longer", "unsaid"])
    func `56.4 a part that is not the rest begins anew, once`(kind: String) async throws {
        let peer = Self.cut { request, connection in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return connection.respond(headers: [("ETag", "\"1\"")], body: Self.whole)
            }
            let (headers, first) = Self.wrongPart(kind, start)
            connection.respond(206, headers: headers, body: Array(Self.whole[first...]))
        }
        let request = try request(peer)
        let entity = try await request.entity()
        #expect(bytes == Self.whole && entity.content.tree?["bytes"]?.int == 300_000)
        #expect(request.attempts.count == 3 && peer.requests.count == 3)
        #expect(peer.requests.map { $0.headers["Range"] == nil } == [true, false, true])
    }

    @Test func `56.4 of parts that are shorter the next ones are asked for`() async throws {
        let peer = Self.cut { request, connection in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let end = min(start + 50_000, 300_000)
            connection.respond(
                206, headers: [("Content-Range", "bytes \(start)-\(end - 1)/300000"), ("ETag", "\"1\"")],
                body: Array(Self.whole[start..<end]))
        }
        let request = try request(peer)
        _ = try await request.entity()
        #expect(bytes == Self.whole && peer.requests.count >= 5)
        #expect(request.attempts.count == peer.requests.count)
    }

    @Test func `56.4 a part for which nobody asked is no file, and the old one stays`() async throws {
        folder.write("file", "old")
        let peer = LoopbackPeer { _, connection in
            connection.respond(206, headers: [("Content-Range", "bytes 5-9/10")], text: "parts")
        }
        let error = await #expect(throws: RequestError.self) { try await self.download(peer) }
        #expect(error?.code == "decoding_failed" && bytes == Array("old".utf8))
        #expect(peer.requests.count == 1)
    }

    @Test func `56.4 a part that the caller asked for is what the file is to be`() async throws {
        let peer = LoopbackPeer { _, connection in
            connection.respond(
                206, headers: [("Content-Range", "bytes 5-9/10"), ("ETag", "\"1\"")], text: "parts")
        }
        _ = try await download(peer) { $0.headers.set("Range", "bytes=5-9") }
        #expect(bytes == Array("parts".utf8))
    }

    @Test func `56.4 behind a redirect the rest is asked for where it led`() async throws {
        let cut = Self.cut { request, connection in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            connection.respond(
                206, headers: [("Content-Range", "bytes \(start)-299999/300000")],
                body: Array(Self.whole[start...]))
        }
        let target = cut.baseURL + "/there"
        let peer = LoopbackPeer { _, connection in
            connection.respond(307, headers: [("Location", target)])
        }
        _ = try await download(peer)
        #expect(bytes == Self.whole && peer.requests.count == 1)
        #expect(cut.requests.map(\.target) == ["/there", "/there"])
    }

    @Test func `56.7 a file that can't be written ends the transfer at once`() async {
        // The limit applies to the process.
        await #expect(processExitsWith: .success) { await DownloadTests().fillDisk() }
    }

    private func fillDisk() async {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
        #if canImport(Darwin)
            setrlimit(RLIMIT_FSIZE, &limit)
        #else
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
        folder.write("file", "old")
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 400000000\r\n\r\n")
            connection.send([UInt8](repeating: 1, count: 4 << 20))
            connection.stall()
        }
        do {
            _ = try await download(peer)
            preconditionFailure("it can't be written")
        } catch let error as RequestError {
            precondition(error.code == "internal" && "\(error)".contains("write"), "\(error)")
            precondition(error.attempts.count == 1)
        } catch { preconditionFailure("\(error)") }
        precondition(bytes == Array("old".utf8))
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
        // It is removed after the write that was under way.
        await yielding(until: "the part is removed") { folder.names(in: ".").count <= 1 }
        #expect(folder.names(in: ".") == ["file"])
    }

    @Test func `56.4 a download without progress ends`() async throws {
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
