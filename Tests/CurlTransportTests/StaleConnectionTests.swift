import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import CurlTransport

/// Requests on connections that break before the first byte of the answer (rule 41.10).
@EngineActor
struct StaleConnectionTests {
    /// Answers the first request of each connection, and closes it at the next.
    private static func cutting() -> LoopbackPeer {
        let seen = Mutex<Set<Int>>([])
        return LoopbackPeer { request, connection in
            let isFirst = seen.withLock { $0.insert(connection.number).inserted }
            if isFirst { connection.respond(text: request.path) } else { connection.close() }
        }
    }

    private func service(_ peer: LoopbackPeer, _ place: TransferPlace = .loop) throws -> Service {
        let transport = CurlTransport(options: TransportOptions(), place: place)
        return try Service(engine: Engine(transport: transport), name: "a", baseURL: peer.baseURL)
    }

    @Test(arguments: [TransferPlace.loop, .thread])
    func `41.10 what breaks on a kept connection goes out once more, and both are listed`(
        place: TransferPlace
    ) async throws {
        let peer = Self.cutting()
        let service = try service(peer, place)
        var notified = 0
        service.engine.onEvent([.attempt]) { _ in notified += 1 }
        var attempts = 0
        for number in 0..<30 {
            let request = service.resource("/\(number)").request(.get)
            _ = try await request.entity()
            attempts += request.attempts.count
            guard number > 0 else { continue }
            #expect(request.attempts.map(\.number) == [1, 2])
            #expect(request.attempts.map(\.error?.isStaleConnection) == [true, nil])
            #expect(request.attempts[1].reason == .failure("connection_failed"))
        }
        #expect(peer.requests.count == 59 && attempts == 59 && notified == 59)
        #expect(peer.connectionCount == 30)
    }

    @Test func `41.10 however many kept connections would break, a request is sent twice`() async throws {
        let count = Mutex(0)
        let together = Gate()
        let peer = LoopbackPeer { _, connection in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 10 { together.open() }
            if number <= 10 { together.wait() }
            // Those ten connections serve no other request.
            if number <= 10 || connection.number > 10 { connection.respond() } else { connection.close() }
        }
        let service = try service(peer)
        let first = (0..<10).map { service.resource("/\($0)").request(.get) }
        for request in first { _ = try await request.entity() }
        let request = service.resource("/last").request(.get)
        _ = try await request.entity()
        #expect(peer.requests.count == 12 && request.attempts.count == 2)
    }

    @Test(arguments: [("PUT", 2), ("DELETE", 2), ("POST", 1), ("PATCH", 1)])
    func `41.4 41.10 only what may be repeated is`(method: String, times: Int) async throws {
        let peer = Self.cutting()
        let service = try service(peer)
        let options = RequestOptions(body: .bytes([1, 2, 3]))
        _ = try await service.resource("/").request(.get).entity()
        let request = service.resource("/x").request(RestEngine.Method(method), options)
        var code: String?
        do { _ = try await request.entity() } catch { code = error.code }
        #expect(code == (times == 1 ? "connection_failed" : nil))
        #expect(peer.requests.count == 1 + times && request.attempts.count == times)
        guard times == 1 else { return }
        var keyed = options
        keyed.idempotencyKey = "mine"
        _ = try await service.resource("/").request(.get).entity()
        _ = try await service.resource("/x").request(RestEngine.Method(method), keyed).entity()
        let keys = peer.requests.suffix(2).map { $0.headers["Idempotency-Key"] }
        #expect(keys == ["mine", "mine"])
    }

    @Test func `41.10 bodies of any kind are sent again from their start`() async throws {
        let folder = TemporaryFolder()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        folder.write("body", bytes: bytes)
        let file = "\(folder.path)/body"
        let form = [
            MultipartPart(name: "a", source: .bytes(bytes)),
            MultipartPart(name: "b", source: .file(path: file)),
        ]
        for body: RequestBody in [.bytes(bytes), .file(path: file), .multipart(form)] {
            let peer = Self.cutting()
            let service = try service(peer)
            _ = try await service.resource("/").request(.get).entity()
            _ = try await service.resource("/x").request(.put, RequestOptions(body: body)).entity()
            let sent = peer.requests.filter { $0.method == "PUT" }
            #expect(sent.count == 2 && sent.allSatisfy { $0.body.count >= bytes.count })
        }
    }

    @Test func `69.4 41.10 a streamed body of which some is gone is not sent again`() async throws {
        let peer = Self.cutting()
        let service = try service(peer)
        _ = try await service.resource("/").request(.get).entity()
        let pipe = BodyPipe(length: 3)
        pipe.write([1, 2, 3])
        pipe.finish()
        let request = service.resource("/x").request(.put, RequestOptions(body: .stream(pipe)))
        let error = await #expect(throws: RequestError.self) { try await request.entity() }
        #expect(error?.attempts.count == 1 && peer.requests.count == 2)
    }

    @Test func `41.6 41.10 repeats because of kept connections count towards the budget`() async throws {
        let peer = Self.cutting()
        let service = try service(peer)
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry?.base = .milliseconds(1)
        }
        var attempts = 0
        var failed = 0
        let start = ContinuousClock.now
        for number in 0..<300 {
            let request = service.resource("/\(number)").request(.get)
            do { _ = try await request.entity() } catch { failed += 1 }
            attempts += request.attempts.count
        }
        let seconds = Double((ContinuousClock.now - start).components.seconds) + 1
        #expect(peer.requests.count == attempts, "what the engine says is what the server counted")
        #expect(Double(attempts - 300) <= 60 + 3 * (seconds + 1))
        #expect(failed > 0)
    }
}
