import RestClient
import Testing

// Relax's guide "Defining Requests", block by block, with the renames of our guide "Calling an API with
// types". Each test makes the guide's `mySession`.

/// Set once, before any request is sent.
private let mySession = Session {
    let scheduler = Scheduler()
    let transport = StubTransport(scheduler: scheduler)
    let engine = Engine(transport: transport, scheduler: scheduler)
    try! transport.stub(method: nil, urlGlob: "**", .json(200, #"{"name": "stubbed"}"#))
    return Service(engine: engine, name: "mine", baseURL: nil)
}

private enum MyService: APIService {
    static let baseURL = "https://example.com/"
    static let session: Session = mySession  // use a specific session that is defined already

    // sent through the session of MyService
    static let get = APIRequest(.get, parent: MyService.self)

    // sent through Session.shared, in the place of the parent's
    static let getSharedSession = APIRequest(.get, parent: MyService.self, session: .shared)
}

private enum PeopleService: APIService {
    static let baseURL = "https://example.com/users"

    static var sharedProperties: APIRequest.Properties {
        Headers {
            Header.authorization(.basic, value: "secret password")
        }
    }

    // all users
    static let getUsers = APIRequest(.get, parent: Self.self)

    // the user with a name
    static func getUser(name: String) -> APIRequest {
        APIRequest(.get, parent: Self.self) {
            QueryItems { ("name", name) }
        }
    }
}

private enum UserService: APIService {
    static let baseURL = "https://example.com/"

    static var sharedProperties: APIRequest.Properties {
        Headers {
            Header.authorization(.basic, value: "secret password")
        }
    }

    enum Users: APIEndpoint {
        static let path = "users"
        typealias Parent = UserService

        @RequestBuilder<Users>
        static var getUsers: APIRequest {
            APIRequest.HTTPMethod.get
        }

        @RequestBuilder<Users>
        static func getUser(name: String) -> APIRequest {
            APIRequest.HTTPMethod.get
            QueryItems { ("name", name) }
        }
    }
}

struct DefiningRequestsTests {
    @Test func `a request needs a URL and a method`() {
        let request = APIRequest(.get, url: "https://example.com/users")
        #expect("\(request)" == "GET https://example.com/users" && request.headers?.isEmpty == true)
        #expect(request.body == nil)
    }

    @Test func `properties are set in a block`() {
        let request = APIRequest(.get, url: "https://example.com/users") {
            Headers {
                Header.contentType(.applicationJSON)
            }
            QueryItems {
                ("name", "firstname")
            }
        }
        #expect(request.url == "https://example.com/users?name=firstname")
        #expect(request.headers?["Content-Type"] == "application/json")
    }

    @Test func `a value is the body, as JSON`() {
        let request = APIRequest(.post, url: "https://example.com/users") {
            Body {
                Person(name: "firstname")
            }
        }
        #expect(request.method == .post && request.body?.bytes == Array(#"{"name":"firstname"}"#.utf8))
        #expect(request.headers?["Content-Type"] == "application/json")
    }

    @Test func `a request has the session of its parent, or its own`() {
        #expect(MyService.get.session == mySession && MyService.getSharedSession.session == .shared)

        // a request through the session that all share
        let request = APIRequest(.get, url: "https://example.com/")
        // a request through a session of one's own
        let customSessionRequest = APIRequest(.get, url: "https://example.com/", session: mySession)
        #expect(request.session == .shared && customSessionRequest.session == mySession)
        #expect(request != customSessionRequest && request.url == customSessionRequest.url)
    }

    @Test func `a request is configured`() async throws {
        let request = APIRequest(
            .post,
            url: "https://example.com/users",
            configuration: APIRequest.Configuration(timeout: .seconds(90)), session: mySession
        ) {
            Body {
                Person(name: "firstname")
            }
        }
        try await request()
        #expect(await mySession.requests.last { $0.body != nil }?.timeouts.total == .seconds(90))
    }

    @Test func `a request is modified when it is sent`() async throws {
        let request = APIRequest(.get, url: "https://example.com/modified", session: mySession) {
            QueryItems {
                ("filter", true)
            }
        }

        // adds a parameter behind those that the request has
        try await request
            .adding(
                QueryItems { ("name", "firstname") }
            )
            .send()

        // sets a header of the request
        try await request
            .header("name", "value")
            .send()

        let sent = await mySession.requests.filter { $0.url.contains("modified") }
        #expect(
            sent.map(\.url) == [
                "https://example.com/modified?filter=true&name=firstname",
                "https://example.com/modified?filter=true",
            ])
        #expect(sent.map { $0.headers["name"] } == [nil, "value"])
    }

    @Test func `requests inherit from the service that they name`() {
        let one = PeopleService.getUser(name: "x")
        #expect("\(PeopleService.getUsers)" == "GET https://example.com/users")
        #expect(one.url == "https://example.com/users?name=x")
        #expect(one.headers?["Authorization"] == "Basic secret password")
    }

    @Test func `requests are written as a method and properties`() {
        #expect("\(UserService.Users.getUsers)" == "GET https://example.com/users")
        let one = UserService.Users.getUser(name: "x")
        #expect(one.url == "https://example.com/users?name=x")
        #expect(one.headers?["Authorization"] == "Basic secret password")
        #expect(PeopleService.getUser(name: "x") == one)
    }
}
