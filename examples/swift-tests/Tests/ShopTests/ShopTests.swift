import RestTesting
import Shop
import Testing

/// With Swift Testing.
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

    @Test func `articles come from a file`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "articles", .file("articles.json"))
        #expect(try await Shop(api.service).all().map(\.title) == ["Ink", "Pen"])
    }
}
