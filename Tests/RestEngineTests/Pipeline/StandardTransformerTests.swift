import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct StandardTransformerTests {
    let fixture = EngineFixture()

    private func load(_ reply: StubReply, _ fixture: EngineFixture? = nil) throws -> Response {
        let fixture = fixture ?? self.fixture
        try fixture.stub("GET", "a", reply)
        let request = fixture.resource("a").load()
        fixture.settle()
        return try #require(request.info?.response)
    }

    private func bytes(_ type: String?, _ body: [UInt8], _ status: Int = 200) -> StubReply {
        .response(status, headers: Headers(type.map { [("Content-Type", $0)] } ?? []), body: body)
    }

    // MARK: JSON

    @Test(
        arguments: [
            "application/json", "text/json", "APPLICATION/Vnd.Api+JSON; charset=utf-8",
        ])
    func `18.1 D11 JSON becomes a tree`(type: String) throws {
        let entity = try #require(try load(.text(200, #"{"a": [1, 2.5, null]}"#, type: type)).entity)
        #expect(entity.content.tree == ["a": [1, 2.5, .null]])
        #expect(entity.contentType == type)
    }

    @Test(arguments: [
        ("1", "number"), ("\"x\"", "string"), ("null", "null"), ("true", "boolean"), ("1.5", "number"),
    ])
    func `18.2 a JSON atom is a failure, which keeps status and body`(json: String, kind: String) throws {
        let error = try #require(try load(.json(201, json)).error)
        #expect(error.userMessage == "Cannot parse server response")
        #expect(error.code == "json_not_object_or_array")
        #expect(error.httpStatusCode == 201)
        guard case .jsonNotObjectOrArray(let actual) = error.cause,
            case .bytes(let body)? = error.entity?.content
        else {
            Issue.record("\(error)")
            return
        }
        #expect(actual == kind && body == Array(json.utf8))
    }

    @Test func `18.2 atoms can be allowed`() throws {
        try fixture.configure { draft in
            draft.configuration.pipeline["parsing"].removeTransformers()
            draft.configuration.pipeline["parsing"].add(JSONTransformer(allowFragments: true))
        }
        #expect(try load(.json(200, "1")).entity?.content.kind == "json")
    }

    @Test(arguments: [" ", "{", "[1,]", "{\"a\":}", "nul", "\u{FEFF}[]x"])
    func `D12 17.12 malformed JSON keeps status and body`(json: String) throws {
        let error = try #require(try load(.json(202, json)).error)
        #expect(error.code == "malformed_json")
        #expect(error.httpStatusCode == 202)
        guard case .bytes(let body)? = error.entity?.content else {
            Issue.record("\(error)")
            return
        }
        #expect(body == Array(json.utf8))
        #expect(error.url == "https://api.test/v1/a" && error.method == "GET")
    }

    @Test func `18.1 17.8 the JSON body of an error is parsed, all else of it kept`() throws {
        let error = try #require(try load(.json(422, #"{"why":"x"}"#)).error)
        #expect(error.entity?.content.tree == ["why": "x"])
        #expect(error.httpStatusCode == 422 && error.userMessage == "Client error" && error.cause == nil)
    }

    @Test func `17.9 an error body that can't be parsed leaves the error as it was`() throws {
        let error = try #require(try load(.json(500, "<html>")).error)
        #expect(
            error.httpStatusCode == 500 && error.userMessage == "Internal server error" && error.cause == nil)
        #expect(error.entity?.content.kind == "bytes")
    }

    @Test("17.9: the problem of an error's body is logged")
    func unparsableErrorIsLogged() throws {
        fixture.engine.log.enabled = [.pipeline]
        _ = try load(.json(500, "<html>"))
        let line =
            "GET https://api.test/v1/a: json leaves the error's body: malformed JSON at byte 0: no value begins like this"
        #expect(fixture.log.map(\.text).contains(line))
    }

    // MARK: NDJSON

    @Test(
        arguments: [
            "application/x-ndjson", "application/jsonl; charset=utf-8", "application/x-jsonlines",
            "application/ndjson",
        ])
    func `NDJSON becomes an array of the lines' values`(type: String) throws {
        let body = #"{"a": [1]}"# + "\r\n\n \t\n5\n\"x\"\nnull\n[]"
        let entity = try #require(try load(.text(200, body, type: type)).entity)
        #expect(entity.content.kind == "json")
        #expect(entity.content.tree == [["a": [1]], 5, "x", .null, []])
        #expect(try load(bytes(type, [])).entity?.content.tree == [], "no line")
    }

    @Test(arguments: [("{}\n{\n", 4, 2), ("1 2", 2, 1), ("[1]\n\n[1,\n2]", 8, 3), ("1],[2", 1, 1)])
    func `a line that is no JSON is a failure that says which`(body: String, offset: Int, line: Int) throws {
        let error = try #require(try load(.text(200, body, type: "application/jsonl")).error)
        guard case .malformedJSON(offset, let message) = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(message.hasPrefix("line \(line): "))
        #expect(error.entity?.content.kind == "bytes")
    }

    // MARK: Text

    @Test(
        arguments: [
            ("text/plain; charset=utf-8", [0xC3, 0xA9], "é"), ("text/plain", [0xE9, 0x80], "é€"),
            ("text/html; charset=ISO-8859-1", [0xE9], "é"), ("text/plain; charset=latin1", [0xE9], "é"),
            ("text/plain; charset=EUC-JP", [0xC3, 0xBD], "箪"),
            ("text/plain; charset=utf-16be", [0xD8, 0x3D, 0xDC, 0xA3], "💣"),
            ("text/plain; charset=us-ascii", [0x61], "a"), ("text/plain; charset=windows-1252", [0x80], "€"),
            ("text/plain; charset=\"utf-8\"", [0xC3, 0xA9], "é"), ("text/plain; charset=utf-8", [], ""),
        ] as [(String, [UInt8], String)])
    func `18.3 text by its charset`(type: String, body: [UInt8], text: String) throws {
        #expect(try load(bytes(type, body)).entity?.text == text)
    }

    @Test func `18.3 an unknown charset is a failure that names it`() throws {
        let error = try #require(try load(bytes("text/plain; charset=Klingon", [0x61])).error)
        guard case .invalidTextEncoding(name: "klingon") = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(error.userMessage == "Cannot parse server response" && error.httpStatusCode == 200)
    }

    @Test(
        arguments: [
            ("utf-8", [0xC3]), ("euc-jp", [0xFF]), ("utf-16be", [0xD8, 0x3D]),
            ("utf-8", [0xED, 0xA0, 0x80]),
        ] as [(String, [UInt8])])
    func `18.3 bytes that are not of the charset are a failure`(charset: String, body: [UInt8]) throws {
        let error = try #require(try load(bytes("text/plain; charset=\(charset)", body)).error)
        guard case .undecodableText(encoding: charset) = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(error.httpStatusCode == 200 && error.entity?.content.kind == "bytes")
    }

    @Test func `18.3 the text of an error is decoded`() throws {
        #expect(try load(.text(404, "nope")).error?.entity?.content.text == "nope")
    }

    @Test func `18.6 text fed to the text transformer is a mismatch`() throws {
        try fixture.configure { $0.configuration.pipeline["model"].add(TextTransformer()) }
        let error = try #require(try load(.text(200, "x")).error)
        guard case .wrongInputType(expected: "bytes", actual: "text", transformer: "text") = error.cause
        else {
            Issue.record("\(error)")
            return
        }
        #expect(error.code == "wrong_input_type" && error.userMessage == "Cannot parse server response")
    }

    // MARK: Others

    @Test func `18.4 an image, and what is none`() throws {
        let gif = Array("GIF89a".utf8) + [2, 0, 3, 0]
        guard case .image(let image)? = try load(bytes("image/gif", gif)).entity?.content else {
            Issue.record("no image")
            return
        }
        #expect(image.format == .gif && image.width == 2 && image.height == 3 && image.bytes == gif)
        let error = try #require(try load(bytes("image/gif", [1])).error)
        #expect(error.code == "unparsable_image" && error.httpStatusCode == 200)
        #expect(try load(bytes("image/gif", gif, 404)).error?.entity?.content.kind == "bytes")
    }

    @Test(arguments: ["application/octet-stream", "image/svg+xml", "application/jsonp", "video/mp4", nil])
    func `18.7 other types stay bytes`(type: String?) throws {
        #expect(try load(bytes(type, [0x7B])).entity?.content.kind == "bytes")
    }

    @Test(
        arguments: [
            ([], "bytes", "bytes"), ([.json], "json", "bytes"), ([.text], "bytes", "text"),
            ([.text, .json], "json", "text"),
        ] as [([StandardTransformer], String, String)])
    func `1.5 18.8 the standard transformers of choice`(
        standards: [StandardTransformer], json: String, text: String
    ) throws {
        let fixture = EngineFixture(standardTransformers: standards)
        #expect(try load(.json(200, "[]"), fixture).entity?.content.kind == json)
        #expect(try load(.text(200, "[]"), fixture).entity?.content.kind == text)
    }
}
