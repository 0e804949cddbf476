import RestClient
import Testing

// Relax's guide "Defining an API Structure", block by block, with the renames of our guide "Calling an API
// with types". Its first two services are parts of the third.

private enum UserService: APIService {
    static let baseURL = "https://example.com/"
    static var sharedProperties: APIRequest.Properties {
        Headers {
            Header.authorization(.basic, value: "secretpassword")
        }
    }

    static let stats = APIRequest(.get, parent: UserService.self)

    enum Users: APIEndpoint {
        // appended to the base URL: https://example.com/users
        static let path = "users"
        // connects Users to UserService
        typealias Parent = UserService

        // a GET
        static let getAll = APIRequest(.get, parent: Users.self)

        // a GET with a parameter of the query
        @RequestBuilder<Users>
        static func get(with name: String) -> APIRequest {
            APIRequest.HTTPMethod.get
            QueryItems { ("name", name) }
        }

        // a POST with a user in JSON as its body
        @RequestBuilder<Users>
        static func add(_ new: Person) -> APIRequest {
            APIRequest.HTTPMethod.post
            Body { new }
        }
    }
}

/// The values that a structure inherits and overrides at each level, and once more when a request is sent.
private enum Levels: APIService {
    static let baseURL = "https://api.example.com/v1/"
    static let session = Session { service(answering: #"{"made_by": "levels"}"#) }
    static let decoder = TreeDecoder(keys: .snakeCase)
    static let configuration = CallConfiguration(timeout: .seconds(5), maxBodyBytes: 1000)
    static var sharedProperties: APIRequest.Properties {
        Header("A", "s")
        Header(.accept, "s")
        QueryItems { ("s", 1) }
        PathComponents { "sp" }
        Body { ["level": "s"] }
    }

    enum Middle: APIEndpoint {
        typealias Parent = Levels
        static let path = "users/"
        static let configuration = CallConfiguration(maxBodyBytes: 2000)
        static var sharedProperties: APIRequest.Properties {
            Header("A", "e")
            Header(.accept, "e")
            QueryItems { ("e", 2) }
            PathComponents { "ep" }
            Body { ["level": "e"] }
        }

        enum Inner: APIEndpoint {
            typealias Parent = Middle
            static let path = "/a b/c"
            static let decoder = TreeDecoder()
            static var sharedProperties: APIRequest.Properties {
                if true { QueryItems { ("n", 3) } }
                PathComponents { "np" }
            }

            @RequestBuilder<Inner>
            static func request(_ extra: String?, tags: [String]) -> Call<Made> {
                Method.post
                if let extra { Query("extra", extra) }
                for tag in tags { Query("tag", tag) }
                switch extra {
                case nil: Header("X-Extra", "none")
                case _?: Header("X-Extra", "some")
                }
            }
        }

        @RequestBuilder<Middle>
        static var get: Call<Made> { Method.get }
    }

    struct Made: Decodable, Equatable {
        let madeBy: String
    }
}

@EngineActor
private func service(answering json: String) -> Service {
    let scheduler = Scheduler()
    let transport = StubTransport(scheduler: scheduler)
    try! transport.stub(method: nil, urlGlob: "**", .json(200, json))
    return Service(engine: Engine(transport: transport, scheduler: scheduler), name: "api", baseURL: nil)
}

struct DefiningStructureTests {
    @Test func `requests of a service and its endpoint have what these share`() {
        #expect("\(UserService.stats)" == "GET https://example.com/")
        #expect("\(UserService.Users.getAll)" == "GET https://example.com/users")
        #expect(UserService.Users.get(with: "x").url == "https://example.com/users?name=x")
        let added = UserService.Users.add(Person(name: "x"))
        #expect(added.method == .post && added.body?.bytes == Array(#"{"name":"x"}"#.utf8))
        for request in [UserService.stats, UserService.Users.getAll, added] {
            #expect(request.headers?["Authorization"] == "Basic secretpassword")
        }
    }

    @Test func `each level adds to the one above`() throws {
        let request = Levels.Middle.Inner.request(nil, tags: ["t"])
        #expect(
            request.url == "https://api.example.com/v1/users/a%20b/c/sp/ep/np?s=1&e=2&n=3&tag=t")
        let headers = try #require(request.headers)
        #expect(headers["A"] == "e" && headers["Accept"] == "s, e" && headers["X-Extra"] == "none")
        #expect(request.body?.bytes == Array(#"{"level":"e"}"#.utf8))
        #expect(Levels.Middle.Inner.request("x", tags: []).url?.hasSuffix("&n=3&extra=x") == true)
    }

    @Test func `settings are merged field by field`() async throws {
        _ = try await Levels.Middle.get()
        let request = try #require(await Levels.session.requests.last { $0.method == "GET" })
        #expect(request.timeouts.total == .seconds(5) && request.maxBodyBytes == 2000)
    }

    @Test func `session and decoder are inherited, and overridden at each level and when sending`()
        async throws
    {
        #expect(try await Levels.Middle.get() == Levels.Made(madeBy: "levels"))
        await #expect(throws: RequestError.self) { try await Levels.Middle.Inner.request(nil, tags: [])() }
        await #expect(throws: RequestError.self) { try await Levels.Middle.get.send(decoder: TreeDecoder()) }
        let other = Session { service(answering: #"{"madeBy": "other"}"#) }
        #expect(try await Levels.Middle.get.send(session: other, decoder: TreeDecoder()).madeBy == "other")
        let own = Call<Levels.Made>(
            .get, parent: Levels.Middle.self, configuration: CallConfiguration(timeout: .seconds(1)),
            session: other)
        #expect(
            try await own().madeBy == "other" && Levels.Middle.Inner.request(nil, tags: []).session != other)
    }

    @Test func `a base that is no URL is the error of its requests`() async throws {
        enum Broken: APIService { static let baseURL = "example" }
        let request = APIRequest(.get, parent: Broken.self)
        #expect(request.failure?.code == .invalidURL)
        let error = await #expect(throws: RequestError.self) {
            try await request.send(session: Levels.session)
        }
        #expect(error?.code == "invalid_definition")
    }
}
