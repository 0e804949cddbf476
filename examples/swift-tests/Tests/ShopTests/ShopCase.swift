import RestTesting
import Shop
import XCTest

/// The same with XCTest.
final class ShopCase: XCTestCase {
    func testServerThatIsBusyIsAskedAgain() async throws {
        let api = try await StubbedAPI(baseURL: "https://shop.test/v1/")
        let stub = try await api.stub(
            .get, "articles/*", .response(503), .response(503), .json(#"{"title": "Ink"}"#))
        let shop = try Shop(api.service)

        let article = try await api.clock.run { try await shop.article("ink")() }

        XCTAssertEqual(article.title, "Ink")
        let requests = await stub.requests
        XCTAssertEqual(requests.count, 3)
        let elapsed = await api.clock.elapsed
        XCTAssertEqual(elapsed, .seconds(3))
    }

    @EngineActor
    func testArticleIsSentAsJSON() async throws {
        let api = try StubbedAPI()
        try api.stub(.post, "articles") { .json($0.bodyText ?? "", status: 201) }
        let pen = try await Shop(api.service).add(Article(title: "Pen"))()
        XCTAssertEqual(pen.title, "Pen")
        XCTAssertEqual(api.requests.first?.bodyJSON?["title"]?.string, "Pen")
        try api.requireAllMatched()
    }
}
