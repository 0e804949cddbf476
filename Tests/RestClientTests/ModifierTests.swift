import RestClient
import Testing

/// Calls that are made from calls, row by row of the modifiers' effects (rule 34.2).
struct ModifierTests {
    private func call(
        _ path: Path = "", @PropertiesBuilder _ properties: () -> CallProperties
    ) async throws -> Call<Tree> {
        try await StubbedService().service.get(path, properties)
    }

    @Test func `setting replaces a kind, adding adds to it`() async throws {
        let call = try await call { PathComponents { "first" } }
        #expect(call.setting(PathComponents { "other" }).url == "https://api.test/v1/other")
        #expect(call.adding(PathComponents { "second" }).url == "https://api.test/v1/first/second")
        #expect(call.url == "https://api.test/v1/first")
        let query = try await self.call { Query("a", 1) }
        #expect(query.setting(QueryItems {}).url == "https://api.test/v1/")
        #expect(query.adding { Query("a", 2) }.url == "https://api.test/v1/?a=1&a=2")
    }

    @Test func `a header is replaced and removed, whatever the case of its name`() async throws {
        let call = try await call { Header("X-A", "value") }
        let set = try await self.call { Header("X-A", "value1") }
        #expect(call.header("x-a", "value1").headers?["X-A"] == set.headers?["X-A"])
        #expect(call.header("x-a", nil).headers?.isEmpty == true)
        #expect(call.header("missing", nil).headers == call.headers)
        let list = try await self.call { Header(.accept, "a") }
        #expect(list.adding(Header("accept", "b")).headers?["Accept"] == "a, b")
        #expect(list.header(.accept, "b").headers?["Accept"] == "b")
    }

    @Test func `a parameter is replaced where it stood, or removed`() async throws {
        let call = try await call {
            Query("a", 1)
            Query("b", 2)
            Query("a", 3)
        }
        #expect(call.query("a", 9).url == "https://api.test/v1/?a=9&b=2")
        #expect(call.query("c", "x").url == "https://api.test/v1/?a=1&b=2&a=3&c=x")
        #expect(call.query("a", Int?.none).url == "https://api.test/v1/?b=2")
    }

    @Test func `method, body and configuration change`() async throws {
        let call = try await call("x") { Body { "a" } }
        #expect(call.method(.put).method == .put)
        #expect(call.method("purge").method == "purge")
        #expect(call.body(Body { "b" }).body?.bytes == Array("b".utf8))
        #expect(call.setting(Body {}).body == nil)
        #expect(call.method("a b").failure?.code == .invalidMethod)
    }

    @Test func `the first thing that can't be stays the error`() async throws {
        let call = try await call { Query("x", Double.nan) }
        let changed = call.header("X", "a\nb").timeout(.seconds(1))
        #expect(changed.failure == call.failure && call.failure?.code == .notFinite)
        #expect("\(changed)".hasPrefix("call that can't be sent: "))
        #expect(changed.url == nil && changed.method == nil)
    }

    @Test func `a modifier's configuration comes behind that of the endpoint and of blocks`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .json(200, "{}"))
        await EngineActor.run { api.service.configure("**") { $0.headers.set("X-From", "block") } }
        let endpoint = try api.service.endpoint {
            Configure { $0.headers.set("X-From", ($0.headers["X-From"] ?? "") + " endpoint") }
        }
        let call: Call<Tree> = endpoint.get("x")
        try await call.configure { $0.headers.set("X-From", ($0.headers["X-From"] ?? "") + " call") }()
        #expect(await api.last?.headers["X-From"] == "block endpoint call")
        try await call()
        #expect(await api.last?.headers["X-From"] == "block endpoint")
    }
}
