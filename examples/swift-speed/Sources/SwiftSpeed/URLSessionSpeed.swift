import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct URLSessionSpeed: SpeedClient {
    private let url: String
    private let session: URLSession

    init(url: String) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    private func data(_ path: String) async throws -> Data {
        let (data, response) = try await session.data(from: URL(string: url + path)!)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw SpeedError.status }
        return data
    }

    func get(_ path: String) async throws -> Int { try await data(path).count }

    func models(_ path: String) async throws -> Int {
        try JSONDecoder().decode([Model].self, from: try await data(path)).count
    }

    func download(_ path: String, to file: String) async throws {
        let (place, _) = try await session.download(from: URL(string: url + path)!)
        try FileManager.default.moveItem(at: place, to: URL(fileURLWithPath: file))
    }

    func end() {}
}
