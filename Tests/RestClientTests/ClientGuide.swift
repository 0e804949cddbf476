import RestClient

// The code of the guides. GuideTests of ResthostTests checks that both are the same.

struct GitHub {
    private let users: Endpoint

    init(_ service: Service, tokens: Tokens) throws {
        users = try service.endpoint("users") {
            Header(.accept, "application/json")
            Timeout(.seconds(10))
            Configure { $0.expirationTime = .minutes(5) }
            Authorize(.bearer) { tokens.current }
        }
    }

    func user(_ login: String) -> Call<User> { users.get("\(login)") }

    func find(name: String?, languages: [String] = []) -> Call<[User]> {
        users.get {
            if let name { Query("name", name) }
            for language in languages { Query("language", language) }
        }
    }

    func rename(_ login: String, to name: String) -> Call<User> {
        users.patch("\(login)") { Body { ["name": name] } }
    }

    func delete(_ login: String) -> Call<Void> { users.delete("\(login)") }
}

@EngineActor
final class Tokens {
    var current: String?
}

struct User: Codable, Sendable, Equatable {
    let login: String
    let name: String?
}

func octocat() async throws -> User {
    let github = try Endpoint(url: "https://api.github.com") { Header(.accept, "application/json") }
    return try await github.get("users/octocat")()
}

func ask(_ github: GitHub) async throws -> String {
    let user = try await github.user("octocat")()
    let found = try await github.find(name: user.name)
        .adding { Query("page", 2) }
        .header(.accept, "text/plain, application/json")
        .timeout(.seconds(90))
        .send()
    let response = try await github.user("octocat").response()
    return "\(found.count) like \(response.value.login), \(response.headers["ETag"] ?? "no tag")"
}

func follow(_ call: Call<User>, until name: String) async -> Int {
    var seen = 0
    for await update in call.updates {
        seen += 1
        if update.value?.name == name { break }
    }
    return seen
}

func name(of login: String, in github: GitHub) async -> String {
    do throws(RequestError) {
        return try await github.user(login)().name ?? login
    } catch {
        return error.httpStatusCode == 404 ? "nobody" : "\(error)"
    }
}

enum Shop: APIService {
    static let baseURL = "https://shop.example/v1/"
    static let configuration = APIRequest.Configuration(timeout: .seconds(20))

    static var sharedProperties: APIRequest.Properties {
        Headers {
            Header.accept(.applicationJSON)
            Header.authorization(user: "swift", password: "secret")
        }
    }

    enum Articles: APIEndpoint {
        static let path = "articles"
        typealias Parent = Shop

        static let all = APIRequest(.get, parent: Articles.self)

        @RequestBuilder<Articles>
        static func find(_ text: String, page: Int?) -> Call<[Article]> {
            Method.get
            QueryItems { ("text", text) }
            if let page { Query("page", page) }
        }

        @RequestBuilder<Articles>
        static func add(_ article: Article) -> APIRequest {
            Method.post
            Body { article }
        }
    }
}

struct Article: Codable, Sendable, Equatable {
    let title: String
}

func sendAll(_ other: Session) async throws -> Int {
    let all = try await Shop.Articles.all.send(session: other)
    let decoded: [Article] = try await Shop.Articles.all.send(session: other)
    let found = try await Shop.Articles.find("ink", page: 2).send(
        session: other, decoder: TreeDecoder(keys: .snakeCase))
    return all.status == 200 ? decoded.count + found.count : 0
}

@discardableResult
func show(_ print: @escaping @Sendable (String) -> Void, through session: Session) -> Task<Void, Never> {
    Shop.Articles.all.send(session: session) { (result: Result<[Article], RequestError>) in
        switch result {
        case .success(let articles): print("\(articles.count) articles")
        case .failure(let error): print("failed: \(error)")
        }
    }
}

func news(of feed: Call<Entity>) async throws(RequestError) -> [String] {
    var titles: [String] = []
    for try await event in try await feed.timeout(nil).stream().events where event.type == "news" {
        titles.append(event.data)
        if titles.count == 2 { break }
    }
    return titles
}

func copy(_ source: Call<Entity>, to target: Endpoint, through path: String) async throws(RequestError) {
    let file = try await source.download(to: path) { print("\($0.bytesReceived) bytes") }
    try await target.put("copy", as: Void.self) { Body(file: file.path) }()
    let stream = try await source.stream()
    try await target.put("stream", as: Void.self) { Body(stream: stream) }()
}
