import RestEngine
import Synchronization
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var login: String
}

/// Successes without a body (rule D30).
@Suite(.leakChecked) @EngineActor
struct NoBodyTests {
    let fixture = EngineFixture()

    private func send(
        _ method: Method = "GET", _ status: Int = 204, _ type: String = "application/json"
    ) throws -> Response {
        try fixture.stub(method, "a", .response(status, headers: Headers([("Content-Type", type)])))
        let request = fixture.resource("a").request(method)
        fixture.settle()
        return try #require(request.info?.response)
    }

    @Test(
        arguments: [200, 201, 202, 204, 205],
        ["application/json", "application/hal+json", "text/plain; charset=klingon", "image/png", "x/y"])
    func `D30 whatever the type says, no body is zero bytes`(status: Int, type: String) throws {
        for method in [Method.post, .head] {
            let entity = try #require(try send(method, status, type).entity)
            #expect(entity.content.isNoBody)
            #expect(entity.status == status && entity.text.isEmpty && entity.json == [:])
        }
    }

    @Test func `D30 an option makes a standard transformer take it`() throws {
        let all: [(any Transformer, String?)] = [
            (JSONTransformer(transformEmpty: true), "malformed_json"),
            (ImageTransformer(transformEmpty: true), "unparsable_image"),
            (TextTransformer(transformEmpty: true), nil), (NDJSONTransformer(), nil),
        ]
        for (transformer, code) in all {
            try fixture.configure {
                $0.configuration.pipeline["parsing"].removeTransformers()
                $0.configuration.pipeline["parsing"].add(transformer)
            }
            let response = try send()
            #expect(response.error?.code == code)
            if case .success(let entity) = response { #expect(!entity.content.isNoBody) }
        }
    }

    @Test func `D30 a transformer of content is asked for it only if it says so`() throws {
        let inputs = Mutex<[String]>([])
        for takesEmpty in [false, true] {
            fixture.service.configureTransformer("a", transformEmpty: takesEmpty) { (text: String, _) in
                inputs.withLock { $0.append(text) }
                return 7
            }
            #expect(try send().entity?.typedContent(Int.self) == (takesEmpty ? 7 : nil))
        }
        #expect(inputs.withLock { $0 } == [""])
        fixture.service.configureTransformer("a", transformEmpty: true) { (tree: Tree?, _) in
            tree == nil
        }
        #expect(try send().entity?.typedContent(Bool.self) == true)
    }

    @Test func `D30 transformers of responses run as ever`() throws {
        struct Made: Transformer {
            let description = "made"
            func process(_ response: Response, _ context: PipelineContext) -> Response {
                .success(
                    Entity(content: .text("made of \(response.entity?.status ?? 0)"), timestamp: context.now))
            }
        }
        try fixture.configure { $0.configuration.pipeline["model"].add(Made()) }
        #expect(try send().entity?.text == "made of 204")
    }

    @Test func `D30 a failure without a body is as it was`() throws {
        let error = try #require(try send("POST", 401).error)
        #expect(error.code == "http_4xx" && error.cause == nil && error.entity?.content.isNoBody == true)
    }

    @Test func `D30 in Swift it is Void or nil, and no model`() throws {
        fixture.service.model(User.self, at: "a")
        let entity = try #require(try send().entity)
        try entity.content(as: Void.self)
        #expect(try entity.content(as: User?.self) == nil)
        #expect(try entity.content(as: String.self).isEmpty)
        #expect(try entity.content(as: [UInt8].self).isEmpty)
        let error = #expect(throws: RequestError.self) { try entity.content(as: User.self) }
        #expect(error?.code == "wrong_input_type")
        #expect(error?.cause?.code == "wrong_input_type")
        #expect("\(try #require(error))".contains("expects User, got no body"))
        #expect(throws: RequestError.self) { try entity.content(as: [User].self) }
        let full = Entity(content: .json(["login": "o"]), timestamp: 0)
        #expect(try full.content(as: User?.self) == User(login: "o"))
        #expect(throws: RequestError.self) { try full.content(as: Void.self) }
    }
}
