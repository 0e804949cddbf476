import CurlTransport
import RestEngine
import Synchronization
import TestSupport
import Testing

/// HTTP/2 streams that the server may not have processed (rule 41.10).
@EngineActor
struct RefusedStreamTests {
    private let folder = TemporaryFolder()

    private nonisolated static let refusals = FramePeer.Reaction.allCases.filter {
        ![.answer, .hold].contains($0)
    }

    private func service(_ peer: FramePeer) throws -> Service {
        folder.write("authority.pem", TestCertificates.authority)
        var options = TransportOptions()
        options.http2 = true
        options.caFile = "\(folder.path)/authority.pem"
        return try Service(
            engine: Engine(transport: CurlTransport(options: options)), name: "a", baseURL: peer.baseURL)
    }

    @Test(arguments: refusals)
    func `41.10 what is refused goes out once more, and both are listed`(_ refusal: FramePeer.Reaction)
        async throws
    {
        let peer = try await FramePeer { $0.connection == 1 && $0.id > 1 ? refusal : .answer }
        let service = try service(peer)
        var notified = 0
        service.engine.onEvent([.attempt]) { _ in notified += 1 }
        let first = service.resource("/1").request(.get)
        #expect(try await first.entity().status == 200 && first.attempts.map(\.httpVersion) == ["2"])
        let request = service.resource("/2").request(.get)
        #expect(try await request.entity().status == 200)
        #expect(request.attempts.map(\.number) == [1, 2])
        #expect(request.attempts.map(\.error?.isStaleConnection) == [true, nil])
        #expect(request.attempts.last?.reason == .failure("connection_failed"))
        #expect(peer.streams.map(\.connection) == [1, 1, 2] && notified == 3)
    }

    @Test(arguments: refusals)
    func `41.10 what is refused again is an error that lists both`(_ refusal: FramePeer.Reaction) async throws
    {
        let peer = try await FramePeer { $0.connection == 1 && $0.id == 1 ? .answer : refusal }
        let service = try service(peer)
        _ = try await service.resource("/1").request(.get).entity()
        let request = service.resource("/2").request(.get)
        let error = await #expect(throws: RequestError.self) { try await request.entity() }
        #expect(error?.code == "connection_failed" && error?.attempts.map(\.number) == [1, 2])
        #expect(peer.streams.map(\.connection) == [1, 1, 2])
    }

    @Test(arguments: refusals)
    func `41.4 41.10 a POST that is refused is not sent again, unless it has a key`(
        _ refusal: FramePeer.Reaction
    ) async throws {
        let posts = Mutex(0)
        let peer = try await FramePeer { stream in
            guard stream.method == "POST" else { return .answer }
            let number = posts.withLock { posts in
                posts += 1
                return posts
            }
            return number <= 2 ? refusal : .answer
        }
        let service = try service(peer)
        _ = try await service.resource("/1").request(.get).entity()
        var options = RequestOptions(body: .bytes([1, 2, 3]))
        let post = service.resource("/2").request(.post, options)
        let error = await #expect(throws: RequestError.self) { try await post.entity() }
        #expect(error?.code == "connection_failed" && error?.attempts.count == 1)
        #expect(peer.streams.map(\.method) == ["GET", "POST"])
        // The request goes over a connection that is kept again.
        _ = try await service.resource("/1").request(.get).entity()
        options.idempotencyKey = "mine"
        let keyed = service.resource("/2").request(.post, options)
        #expect(try await keyed.entity().status == 200 && keyed.attempts.count == 2)
        #expect(peer.streams.map(\.method) == ["GET", "POST", "GET", "POST", "POST"])
    }
}
