import RestEngine
import Synchronization
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var login: String
    var stars: Int?
}

private struct Odd: Error {}

@Suite(.leakChecked) @EngineActor
struct TypedTransformerTests {
    let fixture = EngineFixture()

    private func load(_ reply: StubReply) throws -> Response {
        try fixture.stub("GET", "a", reply)
        let request = fixture.resource("a").load()
        fixture.settle()
        return try #require(request.info?.response)
    }

    private func user(_ tree: Tree) -> User { User(login: tree["login"]?.string ?? "") }

    @Test func `17.4 typed in, typed out; type, charset and headers stay`() throws {
        fixture.service.configureTransformer("a") { (content: Tree, entity) in
            User(login: (content["login"]?.string ?? "") + " " + entity.contentType)
        }
        let entity = try #require(try load(.json(200, #"{"login": "o"}"#)).entity)
        #expect(entity.typedContent() == User(login: "o application/json"))
        #expect(entity.content.kind == "native" && entity.contentType == "application/json")
        #expect(entity.timestamp == fixture.clock.now)
    }

    @Test func `17.4 each type of the engine becomes its kind of content`() throws {
        fixture.service.configureTransformer("a", stage: "model") { (content: Tree, _) in
            content["a"]?.string
        }
        fixture.service.configureTransformer("a", stage: "cleanup") { (text: String, _) in
            Array(text.utf8)
        }
        guard case .bytes(let bytes)? = try load(.json(200, #"{"a": "b"}"#)).entity?.content else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes == [0x62])
    }

    @Test func `17.5 content of another type is a failure that names both, and keeps status and body`() throws
    {
        fixture.service.configureTransformer("a", description: "to user") { (_: Tree, _) in
            User(login: "")
        }
        let error = try #require(try load(.text(201, "plain")).error)
        guard case .wrongInputType(expected: "json", actual: "text", transformer: "to user") = error.cause
        else {
            Issue.record("\(error)")
            return
        }
        #expect(error.userMessage == "Cannot parse server response")
        #expect(error.httpStatusCode == 201 && error.text == "plain")
    }

    @Test func `17.5 Swift types go by their names`() throws {
        fixture.service.configureTransformer("a") { (_: Tree, _) in User(login: "") }
        fixture.service.configureTransformer("a", action: .append) { (_: Odd, _) in "" }
        guard
            case .wrongInputType(expected: "Odd", actual: "User", _)? = try load(.json(200, "{}")).error?
                .cause
        else {
            Issue.record("not that error")
            return
        }
    }

    @Test func `17.5 skip lets it pass`() throws {
        fixture.service.configureTransformer("a", onMismatch: .skip) { (_: Tree, _) in User(login: "") }
        #expect(try load(.text(200, "plain")).entity?.text == "plain")
    }

    @Test(arguments: [true, false])
    func `17.5 skipIfOutputMatches lets only the type of the output pass`(isUser: Bool) throws {
        fixture.service.configureTransformer("a", stage: "decoding") { (_: [UInt8], _) -> Content in
            isUser ? .native(User(login: "early")) : .text("x")
        }
        fixture.service.configureTransformer("a", onMismatch: .skipIfOutputMatches) { (_: Tree, _) in
            User(login: "late")
        }
        let response = try load(.response(200, body: [1]))
        #expect(response.entity?.typedContent(User.self)?.login == (isUser ? "early" : nil))
        #expect(response.error?.code == (isUser ? nil : "wrong_input_type"))
    }

    @Test func `17.6 nil is a failure`() throws {
        fixture.service.configureTransformer("a", description: "picky") { (_: Tree, _) -> User? in nil }
        let error = try #require(try load(.json(200, "{}")).error)
        guard case .transformerReturnedNil(transformer: "picky") = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(error.userMessage == "Cannot parse server response" && error.httpStatusCode == 200)
    }

    @Test func `17.7 a RequestError is used as it is`() throws {
        fixture.service.configureTransformer("a") { (_: Tree, _) -> User in
            throw RequestError(userMessage: "No such luck", httpStatusCode: 499, timestamp: 5)
        }
        let error = try #require(try load(.json(200, "{}")).error)
        #expect(error.userMessage == "No such luck" && error.httpStatusCode == 499 && error.timestamp == 5)
        #expect(error.cause == nil && error.entity == nil)
    }

    @Test func `17.7 any other error is wrapped`() throws {
        fixture.service.configureTransformer("a") { (_: Tree, _) -> User in throw Odd() }
        let error = try #require(try load(.json(202, "{}")).error)
        #expect(error.userMessage == "Cannot parse server response" && error.httpStatusCode == 202)
        #expect(error.description.hasSuffix("Cannot parse server response (202 Accepted): Odd()"))
        #expect(error.url == "https://api.test/v1/a" && error.method == "GET" && error.json == [:])
    }

    @Test func `17.7 so is the error of a decoder of one's own`() throws {
        struct Refusing: Decodable {
            init(from decoder: any Decoder) throws {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no"))
            }
        }
        fixture.service.configureTransformer("a") { (content: Tree, _) throws -> User in
            do throws(CodingError) { _ = try TreeDecoder().decode(Refusing.self, from: content) } catch {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: error.message))
            }
            return User(login: "")
        }
        #expect(try load(.json(200, "{}")).error?.code == "undecodable_content")
    }

    @Test(arguments: [true, false])
    func `17.8 bodies of errors are transformed if asked for`(isAsked: Bool) throws {
        fixture.service.configureTransformer("a", transformErrors: isAsked) { (content: Tree, _) in
            User(login: content["login"]?.string ?? "")
        }
        let error = try #require(try load(.json(422, #"{"login": "o"}"#)).error)
        #expect(error.typedContent(User.self)?.login == (isAsked ? "o" : nil))
        #expect(error.httpStatusCode == 422 && error.cause == nil && error.userMessage == "Client error")
    }

    @Test func `17.9 a body that can't be transformed leaves its error as it was`() throws {
        fixture.engine.log.enabled = [.pipeline]
        fixture.service.configureTransformer("a", transformErrors: true, description: "picky") {
            (_: Tree, _) -> User in throw Odd()
        }
        let error = try #require(try load(.json(422, #"{"a": 1}"#)).error)
        #expect(error.json == ["a": 1] && error.cause == nil)
        #expect(fixture.log.contains { $0.text.hasSuffix("picky leaves the error's body: Odd()") })
    }

    @Test func `17.10 once for each response, however many ask`() throws {
        let calls = Counter()
        fixture.service.configureTransformer("a") { (_: Tree, _) in User(login: "\(calls.next())") }
        try fixture.stub("GET", "a", .json(200, "{}"))
        let resource = fixture.resource("a")
        var seen: [String?] = []
        let request = resource.load()
        for _ in 0..<3 { request.onSuccess { seen.append($0.typedContent(User.self)?.login) } }
        fixture.settle()
        resource.read { _ in }
        #expect(seen == ["1", "1", "1"] && resource.typedContent(User.self)?.login == "1")
    }

    @Test func `14.16 14.17 replaces or appends, on the methods of transformers`() throws {
        fixture.service.configureTransformer("**") { (_: Tree, _) in User(login: "first") }
        fixture.service.configureTransformer("a", action: .append) { (user: User, _) in
            User(login: user.login + ", then")
        }
        fixture.service.configureTransformer("b") { (_: Tree, _) in User(login: "alone") }
        try fixture.stub("GET", "*", .json(200, "{}"))
        try fixture.stub("OPTIONS", "*", .json(200, "{}"))
        let requests = [
            fixture.resource("a").load(), fixture.resource("b").load(),
            fixture.resource("a").request("OPTIONS"),
        ]
        fixture.settle()
        #expect(
            requests.map { $0.info?.response.entity?.typedContent(User.self)?.login } == [
                "first, then", "alone", nil,
            ])
    }

    @Test func `17.2 only for content types that are named`() throws {
        fixture.service.configureTransformer("a", stage: "raw_data", contentTypes: ["text/*"]) {
            (bytes: [UInt8], _) in Array(bytes.reversed())
        }
        #expect(try load(.text(200, "ab")).entity?.text == "ba")
        #expect(try load(.json(200, "[1]")).entity?.json == [1])
    }

    // MARK: Models

    @Test func `a model is decoded once and is content`() throws {
        fixture.service.model(User.self, at: "users/*")
        fixture.service.model([User].self, at: "users", decoder: TreeDecoder(keys: .snakeCase))
        try fixture.stub("GET", "users/o", .json(200, #"{"login": "o", "stars": 5, "other": []}"#))
        try fixture.stub("GET", "users", .json(200, #"[{"login": "o"}]"#))
        let (one, all) = (fixture.resource("users/o"), fixture.resource("users"))
        one.load()
        all.load()
        fixture.settle()
        #expect(one.typedContent() == User(login: "o", stars: 5))
        #expect(all.typedContent() == [User(login: "o")])
    }

    @Test func `a server's wrong shape is reported, and kept`() throws {
        fixture.service.model([User].self, at: "a")
        let error = try #require(try load(.json(200, #"[{"login": "a"}, {"login": 1}]"#)).error)
        #expect(
            error.description
                == "GET https://api.test/v1/a: Cannot parse server response (200 OK): "
                + "[1].login: expected string, got number")
        guard case .undecodableContent(let failure)? = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.path == "[1].login" && failure.type == "Array<User>")
        #expect(error.code == "undecodable_content" && error.json.count == 2)
    }

    @Test func `an empty answer is not taken for an empty list`() throws {
        fixture.service.model([User].self, at: "a")
        let entity = try #require(try load(.response(204)).entity)
        let error = #expect(throws: RequestError.self) { try entity.content(as: [User].self) }
        #expect(error?.code == "wrong_input_type")
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
