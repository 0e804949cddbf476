import CurlTransport
import RestEngine
import TestSupport
import Testing

/// The connections of many requests at once over HTTP/2 (`transport.max_connections_per_host` in the Lua
/// reference).
@EngineActor
struct SharedConnectionTests {
    private let folder = TemporaryFolder()

    /// The number of streams on each connection, while 150 requests wait for their answers.
    private func streams(_ most: Int?) async throws -> [Int] {
        folder.write("authority.pem", TestCertificates.authority)
        var options = TransportOptions()
        options.http2 = true
        options.caFile = "\(folder.path)/authority.pem"
        options.maxConnectionsPerHost = most
        let peer = try await FramePeer { _ in .hold }
        let service = try Service(
            engine: Engine(transport: CurlTransport(options: options)), name: "a", baseURL: peer.baseURL)
        let requests = (0..<150).map { service.resource("/\($0)").request(.get) }
        await yielding(until: "all requests have come") { peer.streams.count == 150 }
        var counts: [Int: Int] = [:]
        for stream in peer.streams { counts[stream.connection, default: 0] += 1 }
        for request in requests { request.cancel() }
        return counts.values.sorted(by: >)
    }

    @Test func `a hundred requests share a connection, and those beyond open others`() async throws {
        // How many others depends on which of them is ready first.
        let counts = try await streams(nil)
        #expect(counts.first == 100 && counts.count > 1 && counts.reduce(0, +) == 150, "\(counts)")
    }

    @Test func `those beyond share the connections that there may be`() async {
        // The cap belongs to the process, so another process runs this.
        await #expect(processExitsWith: .success) {
            let streams = try await SharedConnectionTests().streams(2)
            precondition(streams == [100, 50], "\(streams)")
        }
    }
}
