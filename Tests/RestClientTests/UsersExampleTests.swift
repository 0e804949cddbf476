import RestClient
import Testing

struct UsersExampleTests {
    struct User: Decodable, Sendable, Equatable {
        var name: String
    }

    /// A typical client: the common parts of all requests once, and a function for each request.
    @EngineActor
    final class GitHub {
        var token: String? = "t"
        // Nil until the block, which refers to this object, has been made.
        private(set) var users: Endpoint!

        init(_ service: Service) throws {
            users = try service.endpoint("users") {
                Header(.accept, "application/json"); Query("v", 2); Timeout(.seconds(10));
                Configure { $0.expirationTime = .minutes(5) }
                Authorize(.bearer) { [weak self] in self?.token }
            }
        }

        func find(name: String?, tags: [String] = []) -> Call<[User]> {
            users.get {
                if let name { Query("name", name) }; for tag in tags { Query("tag", tag) }
            }
        }
    }

    private func example() async throws -> (StubbedService, GitHub) {
        let api = try await StubbedService()
        try await api.stub("GET", "users", .json(200, #"[{"name": "x"}]"#))
        return (api, try await GitHub(api.service))
    }

    @Test func `a call is changed, sent and decoded`() async throws {
        let (api, github) = try await example()
        let page = try await github.find(name: "x").adding { Query("page", 2) }.header(.accept, "text/plain")
            .timeout(.seconds(90)).send()
        #expect(page == [User(name: "x")])
        let request = try #require(await api.last)
        #expect(request.url == "https://api.test/v1/users?v=2&name=x&page=2")
        #expect(request.headers["Accept"] == "text/plain")
        #expect(request.headers["Authorization"] == "Bearer t")
        #expect(request.timeouts.total == .seconds(90))
    }

    @Test func `what the endpoint says holds for the call as it is`() async throws {
        let (api, github) = try await example()
        try await github.find(name: nil, tags: ["a", "b&c"])()
        let request = try #require(await api.last)
        #expect(request.url == "https://api.test/v1/users?v=2&tag=a&tag=b%26c")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.timeouts.total == .seconds(10))
    }

    @Test func `credentials are asked for with each request`() async throws {
        let (api, github) = try await example()
        await EngineActor.run { github.token = "new" }
        try await github.find(name: "x")()
        #expect(await api.last?.headers["Authorization"] == "Bearer new")
        await EngineActor.run { github.token = nil }
        try await github.find(name: "x")()
        #expect(await api.last?.headers["Authorization"] == nil)
    }

    @Test func `the same call is equal, and sent as the same bytes`() async throws {
        let (_, github) = try await example()
        let (a, b, c) = await EngineActor.run {
            (github.find(name: "x"), github.find(name: "x"), github.find(name: "y"))
        }
        #expect(a == b && a.hashValue == b.hashValue && a != c)
        #expect(a.timeout(.seconds(3)) == b.timeout(.milliseconds(3000)))
        #expect(a.timeout(.seconds(3)) != b.timeout(.seconds(4)))
        #expect("\(a)" == "GET https://api.test/v1/users?v=2&name=x")
    }
}
