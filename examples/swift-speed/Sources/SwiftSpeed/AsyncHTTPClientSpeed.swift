import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat

struct AsyncHTTPClientSpeed: SpeedClient {
    private let url: String
    private let client: HTTPClient

    init(url: String) {
        self.url = url
        var configuration = HTTPClient.Configuration()
        // Its usual limit of 8 would hold it back.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private func body(_ path: String) async throws -> ByteBuffer {
        let response = try await client.execute(HTTPClientRequest(url: url + path), timeout: .minutes(5))
        guard response.status == .ok else { throw SpeedError.status }
        return try await response.body.collect(upTo: 64 << 20)
    }

    func get(_ path: String) async throws -> Int { try await body(path).readableBytes }

    func models(_ path: String) async throws -> Int {
        try JSONDecoder().decode([Model].self, from: try await body(path)).count
    }

    func download(_ path: String, to file: String) async throws {
        let delegate = try FileDownloadDelegate(path: file)
        _ = try await client.execute(request: HTTPClient.Request(url: url + path), delegate: delegate).get()
    }

    func end() async throws { try await client.shutdown() }
}
