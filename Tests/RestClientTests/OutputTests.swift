import RestClient
import Testing

/// The possible results of a call.
struct OutputTests {
    private func answer<Output: Decodable & Sendable>(
        _ reply: StubReply, as type: Output.Type = Output.self
    ) async throws -> CallResponse<Output> {
        try await call(reply).returning(type).response()
    }

    private func call(_ reply: StubReply) async throws -> Call<Entity> {
        let api = try await StubbedService()
        try await api.stub("GET", "x", reply)
        return api.service.get("x")
    }

    private let json = StubReply.json(200, #"{"name": "Mona"}"#)

    @Test func `a model, JSON, text, bytes, nothing and everything`() async throws {
        #expect(try await answer(json).value == Person(name: "Mona"))
        #expect(try await answer(json, as: Tree.self).value["name"]?.string == "Mona")
        #expect(try await answer(json, as: String.self).value == #"{"name": "Mona"}"#)
        #expect(try await answer(json, as: [UInt8].self).value == Array(#"{"name": "Mona"}"#.utf8))
        #expect(try await answer(json, as: String?.self).value == #"{"name": "Mona"}"#)
        #expect(try await answer(json, as: [UInt8]?.self).value == Array(#"{"name": "Mona"}"#.utf8))
        #expect(try await call(json)().json["name"]?.string == "Mona")
        #expect(try await answer(json, as: Person?.self).value == Person(name: "Mona"))
        try await call(json).returning(Void.self)()
    }

    @Test func `a success without a body is nothing, nil and empty`() async throws {
        let none = StubReply.response(204)
        try await call(none).returning(Void.self)()
        #expect(try await answer(none, as: Person?.self).value == nil)
        #expect(try await answer(none, as: [UInt8].self).value == [])
        #expect(try await answer(none, as: String.self).value == "")
        let error = await #expect(throws: RequestError.self) { try await answer(none, as: Person.self) }
        #expect(error?.code == "wrong_input_type")
    }

    @Test func `text has the charset that the server names`() async throws {
        let latin = StubReply.response(
            200, headers: Headers([("Content-Type", "text/plain; charset=iso-8859-1")]), body: [0xE9])
        #expect(try await answer(latin, as: String.self).value == "é")
        #expect(try await answer(latin, as: [UInt8].self).value == [0xE9])
    }

    @Test func `what a transformer made is the output`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", json)
        await EngineActor.run {
            api.service.configureTransformer("x") { (tree: Tree, _) in tree["name"]?.string?.count }
        }
        #expect(try await api.service.get("x", as: Int.self)() == 4)
    }

    @Test func `the whole answer comes together`() async throws {
        let response = try await answer(
            .response(
                201, headers: Headers([("Content-Type", "application/json"), ("X-Total", "7")]),
                body: Array(#"{"name": "Mona"}"#.utf8)), as: Person.self)
        #expect(response.status == 201 && response.headers["x-total"] == "7")
        #expect(response.body == Array(#"{"name": "Mona"}"#.utf8) && response.value == Person(name: "Mona"))
        #expect(response.timings != nil && response.url == "https://api.test/v1/x" && response.redirects == 0)
    }

    @Test func `an answer of another shape says where, and to which request`() async throws {
        let error = try #require(
            await #expect(throws: RequestError.self) {
                try await answer(.json(200, #"{"name": 5}"#), as: Person.self)
            })
        #expect(error.code == "undecodable_content" && error.method == "GET")
        #expect(error.url == "https://api.test/v1/x" && "\(error)".contains("name: expected string"))
    }

    @Test func `a decoder is the service's, the endpoint's, the call's or the sending's`() async throws {
        struct Made: Decodable, Equatable { let createdAt: Int }
        let api = try await StubbedService()
        try await api.stub("GET", "**", .json(200, #"{"created_at": 5}"#))
        let snake = TreeDecoder(keys: .snakeCase)
        let endpoint = try api.service.endpoint("a", decoder: snake).endpoint("b")
        #expect(try await endpoint.get("c", as: Made.self)() == Made(createdAt: 5))
        var call: Call<Made> = api.service.get("x")
        await #expect(throws: RequestError.self) { try await call() }
        #expect(try await call.send(decoder: snake) == Made(createdAt: 5))
        call.decoder = snake
        #expect(try await call() == Made(createdAt: 5))
    }
}
