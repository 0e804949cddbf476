import RestClient
import TestSupport
import Testing

/// Runs the code of the guides.
struct ClientGuideTests {
    @Test func `the guide to calls does what it says`() async throws {
        let api = try await StubbedService(baseURL: "https://github.test")
        try await EngineActor.run {
            try api.stub("GET", "users/octocat", .json(200, #"{"login": "octocat", "name": "Mona"}"#))
            try api.stub("GET", "users", .json(200, #"[{"login": "octocat"}]"#))
            try api.stub("GET", "users/nobody", .json(404, "{}"))
            try api.stub("PATCH", "users/octocat", .json(200, #"{"login": "octocat", "name": "Lisa"}"#))
            try api.stub("DELETE", "users/octocat", .response(204))
        }
        let tokens = Tokens()
        let github = try GitHub(api.service, tokens: tokens)
        #expect(try await ask(github) == "1 like octocat, no tag")
        await EngineActor.run { tokens.current = "t" }
        #expect(try await github.rename("octocat", to: "Lisa")().name == "Lisa")
        #expect(await api.last?.body == Array(#"{"name":"Lisa"}"#.utf8))
        #expect(await api.last?.headers["Authorization"] == "Bearer t")
        try await github.delete("octocat")()
        #expect(await follow(github.user("octocat"), until: "Mona") > 1)
        #expect(await name(of: "octocat", in: github) == "Mona")
        #expect(await name(of: "nobody", in: github) == "nobody")
        #expect(github.find(name: nil, languages: ["lua"]).url == "https://github.test/users?language=lua")
    }

    @Test func `the guide to types does what it says`() async throws {
        let api = try await StubbedService()
        try await api.stub(
            "GET", "https://shop.example/v1/articles", .json(200, #"[{"title": "ink"}, {"title": "pen"}]"#))
        #expect(try await sendAll(api.session) == 4)
        #expect(
            await api.sent == [
                "GET https://shop.example/v1/articles", "GET https://shop.example/v1/articles",
                "GET https://shop.example/v1/articles?text=ink&page=2",
            ])
        #expect(await api.last?.timeouts.total == .seconds(20))
        #expect(Shop.Articles.add(Article(title: "x")).body?.bytes == Array(#"{"title":"x"}"#.utf8))
        let line: String? = await waiting(for: "a line") { notified in show(notified, through: api.session) }
        #expect(line == "2 articles")
    }

    @Test func `the guide to streams does what it says`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "file", .text(200, "content"))
        try await api.stub(
            "GET", "feed",
            .text(
                200, "event: news\ndata: a\n\ndata: x\n\nevent: news\ndata: b\n\n", type: "text/event-stream")
        )
        try await api.stub("PUT", "*", .response(204))
        #expect(try await news(of: api.service.get("feed")) == ["a", "b"])
        let folder = TemporaryFolder()
        let target = try api.service.endpoint("")
        try await copy(api.service.get("file"), to: target, through: folder.path + "/file")
        let sent = await api.transport.requests.filter { $0.method == "PUT" }
        #expect(sent.map(\.body) == [Array("content".utf8), Array("content".utf8)])
        #expect(sent.map(\.url) == ["https://api.test/v1/copy", "https://api.test/v1/stream"])
    }
}
