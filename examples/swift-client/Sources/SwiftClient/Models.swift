struct User: Decodable, Sendable {
    let login: String
    let name: String
    let company: String?
    let createdAt: String
}

struct Repository: Decodable, Sendable {
    let name: String
    let language: String?
    let stargazersCount: Int
}

struct Note: Decodable, Sendable {
    let title: String
    let pinned: Bool
}
