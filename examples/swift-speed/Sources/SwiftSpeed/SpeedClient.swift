/// The measured tasks of a client.
protocol SpeedClient: Sendable {
    /// Gets a small body, and gives its size.
    func get(_ path: String) async throws -> Int
    /// Gets JSON, and gives the number of models.
    func models(_ path: String) async throws -> Int
    /// Gets a large body into a file.
    func download(_ path: String, to file: String) async throws
    func end() async throws
}

/// An element of the large JSON.
struct Model: Codable, Sendable {
    let id: Int
    let name: String
    let email: String
    let score: Double
    let isActive: Bool
    let tags: [String]
    let address: Address

    struct Address: Codable, Sendable {
        let street: String
        let city: String
        let zip: String?
    }
}
