import RestClient

struct RestSpeed: SpeedClient {
    private let server: Endpoint

    init(url: String) throws { server = try Endpoint(url: url) { Timeout(nil) } }

    func get(_ path: String) async throws -> Int { try await server.get("\(path)", as: [UInt8].self)().count }

    func models(_ path: String) async throws -> Int {
        try await server.get("\(path)", as: [Model].self)().count
    }

    func download(_ path: String, to file: String) async throws {
        try await server.get("\(path)").download(to: file)
    }

    func end() {}
}
