import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Responses whose body can't be read and isn't needed.
@EngineActor
struct LostBodyTests {
    enum Fault: String, CaseIterable, Sendable {
        case malformed, cut, unknown, large, announced

        /// A response with an invalid body.
        func bytes(_ status: Int, _ fields: [(String, String)]) -> [UInt8] {
            let text = [UInt8](repeating: 0x61, count: self == .large || self == .announced ? 5000 : 100)
            let (coding, body): (String?, [UInt8]) =
                switch self {
                case .malformed: ("gzip", Array(1...12))
                case .cut: ("gzip", Array(Gzip.stored(text).dropLast(9)))
                case .unknown: ("rot13", text)
                case .large: ("gzip", Gzip.stored(text))
                case .announced: (nil, text)
                }
            let codings = coding.map { [("Content-Encoding", $0)] } ?? []
            return PeerConnection.response(status, headers: fields + codings, body: body)
        }

        var code: String { self == .large || self == .announced ? "too_large" : "decoding_failed" }
    }

    private func load(_ peer: LoopbackPeer, _ edit: (Service) -> Void = { _ in }) async throws
        -> Response
    {
        let engine = Engine(transport: CurlTransport())
        let service = try Service(engine: engine, name: "a", baseURL: peer.baseURL)
        service.configure(.all) { $0.maxBodyBytes = 1000 }
        edit(service)
        let response: Response? = await waiting(for: "a load's end") { notified in
            service.resource("/x").load().onCompletion { notified($0.response) }
        }
        return try #require(response)
    }

    @Test(arguments: Fault.allCases)
    func `a redirect is followed, whatever its own body is`(fault: Fault) async throws {
        let peer = LoopbackPeer { request, connection in
            if request.path == "/end" { return connection.respond(body: Array("there".utf8)) }
            connection.send(fault.bytes(302, [("Location", "/end")]))
        }
        let entity = try #require(try await load(peer).entity)
        #expect(entity.status == 200 && entity.content.cast(to: [UInt8].self) == Array("there".utf8))
    }

    @Test(arguments: Fault.allCases)
    func `D12 a failure keeps status and headers, and says what is wrong with its body`(fault: Fault)
        async throws
    {
        for status in [401, 404, 503] {
            let peer = LoopbackPeer { _, connection in connection.send(fault.bytes(status, [("X-Why", "y")]))
            }
            let error = try #require(try await load(peer).error)
            #expect(error.httpStatusCode == status && error.code == fault.code)
            #expect(error.entity?.headers["X-Why"] == "y" && error.entity?.content.isNoBody == true)
        }
    }

    @Test(arguments: Fault.allCases)
    func `what is content fails as a whole`(fault: Fault) async throws {
        // 300 names no single target.
        for status in [200, 300] {
            let peer = LoopbackPeer { _, connection in connection.send(fault.bytes(status, [])) }
            let error = try #require(try await load(peer).error)
            #expect(error.httpStatusCode == nil && error.code == fault.code)
        }
    }

    @Test func `a status that may pass is asked for again, whatever its body is`() async throws {
        let peer = LoopbackPeer { request, connection in
            if connection.number == 2 { return connection.respond() }
            connection.send(Fault.malformed.bytes(503, []))
            connection.close()
        }
        let response = try await load(peer) { service in
            var policy = RetryPolicy()
            policy.base = .milliseconds(1)
            service.configure(.all) { [policy] in $0.retry = policy }
        }
        #expect(response.entity?.status == 200)
    }
}
