import CurlTransport
import RestEngine
import TestSupport
import Testing

/// Recordings of answers from a network, and their replay (rules 48, 49).
@EngineActor
struct RecordingTests {
    private let folder = TemporaryFolder()

    private nonisolated static let bodies: [(type: String, bytes: [UInt8])] = [
        ("text/plain; charset=utf-8", Array("größer".utf8)),
        ("text/plain; charset=iso-8859-1", [0x67, 0x72, 0xF6, 0xDF]),
        ("application/json", Array(#"{"name": "größer",  "list": [1, 2.50]}"#.utf8)),
        ("application/octet-stream", [0, 0x1F, 0x8B, 0xFF, 0x0A]),
    ]

    /// Status, type and bytes of each answer, without a pipeline.
    private func answers(by engine: Engine, _ baseURL: String) async throws -> [String] {
        let service = Service(
            engine: engine, name: "api", baseURL: try BaseURL(baseURL), standardTransformers: [])
        defer { service.flushUnusedResources() }
        var seen: [String] = []
        for number in Self.bodies.indices {
            let entity = try await service.resource("/\(number)").request(.get).entity()
            guard case .bytes(let bytes) = entity.content else {
                Issue.record("\(entity.content.kind)")
                continue
            }
            seen.append("\(entity.status ?? 0) \(entity.contentType) \(Array(bytes))")
        }
        return seen
    }

    @Test(arguments: [false, true])
    func `48.4 49.6 an encoded body is recorded decoded, and replayed to the byte`(isPacked: Bool)
        async throws
    {
        let peer = LoopbackPeer { request, connection in
            let body = Self.bodies[Int(request.path.dropFirst()) ?? 0]
            let coding = isPacked ? [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")] : []
            connection.respond(
                headers: [("Content-Type", body.type)] + coding,
                body: isPacked ? Gzip.stored(body.bytes) : body.bytes)
        }
        let path = "\(folder.path)/a.har"
        let live = Engine(transport: CurlTransport())
        let recorder = try TrafficRecorder(path, version: "1", bodyLimit: TrafficRecorder.replayedBytes)
        recorder.listen(to: live)
        let first = try await answers(by: live, peer.baseURL)
        try recorder.finish()
        #expect(first == Self.bodies.map { "200 \($0.type) \($0.bytes)" })

        let document = try Tree(json: try WholeFile.read(path, limit: 1 << 20))
        #expect(HARSchema.faults(document) == [])
        for entry in (document["log"]?["entries"] ?? .null).elements {
            let names = (entry["response"]?["headers"] ?? .null).elements.map { $0["name"]?.string ?? "" }
            #expect(!names.contains("Content-Encoding") && names.contains("Vary") == isPacked)
        }

        let scheduler = Scheduler()
        let answers = RecordedAnswers(try HARReader.read(path), path: path)
        let replaying = Engine(
            transport: ReplayTransport(answers, scheduler: scheduler), scheduler: scheduler)
        let count = peer.requests.count
        let again = try await self.answers(by: replaying, peer.baseURL)
        #expect(again == first && peer.requests.count == count)
    }
}
