import CurlTransport
import RestClient
import RestTesting
import Testing

// The code of the guide to tests. GuideTests of ResthostTests checks that both are the same.

struct Shop {
    let articles: Endpoint

    init(_ service: Service) throws {
        articles = try service.endpoint("articles") {
            Configure {
                var retry = RetryPolicy()
                retry.base = .seconds(1)
                $0.retry = retry
            }
        }
    }

    func article(_ name: String) -> Call<Article> { articles.get("\(name)") }

    func add(_ article: Article) -> Call<Article> { articles.post { Body { article } } }
}

struct Article: Codable, Sendable, Equatable {
    var title: String
}

struct ShopTests {
    @Test func `a server that is busy is asked again`() async throws {
        let api = try await StubbedAPI(baseURL: "https://shop.test/v1/")
        let stub = try await api.stub(
            .get, "articles/*", .response(503), .response(503), .json(#"{"title": "Ink"}"#))
        let shop = try Shop(api.service)

        let article = try await api.clock.run { try await shop.article("ink")() }

        #expect(article.title == "Ink")
        #expect(await stub.requests.count == 3)
        #expect(await api.clock.elapsed == .seconds(3))
    }
}

@EngineActor
struct StubGuideTests {
    @Test func `stubs give each kind of answer`() async throws {
        let api = try StubbedAPI()
        try api.stub(.get, "articles", .file("Fixtures/articles.json"))
        try api.stub(.get, "articles/ink", .json(of: Article(title: "Ink")))
        try api.stub(.get, "articles/old", .response(410), .response(404))
        try api.stub(.get, "articles/slow", .text("late").delayed(by: .seconds(20)))
        try api.stub(.get, "articles/lost", .failure(.connectionFailed))
        try api.stub(.post, "articles", headers: ["Accept": "application/json"]) { request in
            .json(request.bodyText ?? "", status: 201)
        }
        try api.stub(nil, "other/**", .text("any method"))

        let shop = try Shop(api.service)
        let ink = try await shop.article("ink")()
        let added = try await shop.add(ink).header(.accept, "application/json")()
        #expect(added == ink)
        #expect(try await shop.articles.get(as: [Article].self)() == [ink])
        #expect(try api.requests(.post, "articles").map(\.bodyText) == [#"{"title":"Ink"}"#])
    }

    @Test func `an answer waits for the test`() async throws {
        let api = try StubbedAPI()
        let stub = try api.stub(.get, "articles/*", .json(of: Article(title: "Ink")).held())
        let article = api.service.resource("/articles/ink")
        article.loadIfNeeded()
        try await api.clock.advance(by: .zero)
        #expect(article.isLoading)
        stub.release()
        try await api.clock.advance(by: .zero)
        #expect(article.json["title"]?.string == "Ink")
    }
}

@EngineActor
func recordArticle(from address: String, to path: String) async throws {
    let service = try Service(
        engine: Engine(transport: CurlTransport()), name: "shop", baseURL: address)
    let recording = try SessionRecording(of: service.engine, to: path)
    try await Shop(service).article("ink")()
    try recording.finish()
}

func replayArticle(from address: String, in path: String) async throws -> Article {
    let api = try await StubbedAPI(baseURL: address)
    try await api.replay(path)
    return try await Shop(api.service).article("ink")()
}
