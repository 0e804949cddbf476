import RestClient

/// The API in ../quickstart/fixtures: the common parts of all its requests, and a function for each.
struct People: Sendable {
    private let api: Endpoint
    private let users: Endpoint
    private let notes: Endpoint
    private let tokens: Tokens

    init(url: String) throws {
        let tokens = Tokens()
        self.tokens = tokens
        api = try Endpoint(url: url, decoder: TreeDecoder(keys: .snakeCase)) {
            Header(.accept, "application/json")
            Timeout(.seconds(10))
        }
        users = try api.endpoint("users")
        notes = try api.endpoint("private/notes") { Authorize(.bearer) { tokens.current } }
    }

    func user(_ login: String) -> Call<User> { users.get("\(login)") }

    func repositories(of login: String, page: Int? = nil) -> Call<[Repository]> {
        users.get("\(login)/repos") {
            if let page {
                Query("page", page)
                Query("per_page", 2)
            }
        }
    }

    func add(_ user: NewUser) -> Call<User> { users.put("\(user.login)") { Body { user } } }

    func delete(_ login: String) -> Call<Void> { users.delete("\(login)") }

    var allNotes: Call<[Note]> { notes.get() }

    /// Notes need a token.
    func logIn() async throws {
        struct Login: Decodable { let token: String }
        let login: Call<Login> = api.post("-/login") {
            Body { ["user": "swift", "password": "not a secret"] }
        }
        await tokens.set(try await login().token)
    }
}

@EngineActor
final class Tokens {
    private(set) var current: String?

    nonisolated init() {}

    func set(_ token: String) { current = token }
}

struct User: Decodable, Sendable {
    let login: String
    let name: String?
}

struct NewUser: Encodable, Sendable {
    let login: String
    let name: String
}

struct Repository: Decodable, Sendable {
    let name: String
    let stargazersCount: Int
}

struct Note: Decodable, Sendable {
    let title: String
}
