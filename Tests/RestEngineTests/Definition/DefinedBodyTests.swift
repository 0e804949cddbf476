import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinedBodyTests {
    let fixture = EngineFixture()

    struct Row: Sendable, CustomTestStringConvertible {
        let body: RequestBody
        var contentType: String?
        let bytes: String
        let type: String
        let kind: DefinedBody.Kind
        var testDescription: String { "\(kind) \(bytes)" }
    }

    @Test(arguments: [
        Row(body: .bytes(Array("Test".utf8)), bytes: "Test", type: "application/octet-stream", kind: .body),
        Row(
            body: .text("é", charset: "utf-8"), bytes: "é", type: "text/plain; charset=utf-8", kind: .text),
        Row(
            body: .text("a", charset: "latin1"), contentType: "text/csv", bytes: "a",
            type: "text/csv; charset=iso-8859-1", kind: .text),
        Row(body: .json(["key": "value"]), bytes: #"{"key":"value"}"#, type: "application/json", kind: .json),
        Row(
            body: .json(["name": "value", "status": false]), bytes: #"{"name":"value","status":false}"#,
            type: "application/json", kind: .json),
        Row(body: .json([1, 2]), bytes: "[1,2]", type: "application/json", kind: .json),
        Row(body: .json([:]), bytes: "{}", type: "application/json", kind: .json),
        Row(
            body: .json([:]), contentType: "application/problem+json", bytes: "{}",
            type: "application/problem+json", kind: .json),
        Row(
            body: .form([("b", "1"), ("a", "2 3")]), bytes: "a=2%203&b=1",
            type: "application/x-www-form-urlencoded", kind: .form),
    ])
    func `38.1 each kind has its content type`(row: Row) throws {
        let definition = try fixture.define(
            "POST", RequestProperties(body: row.body, contentType: row.contentType))
        #expect(definition.headers["Content-Type"] == row.type && definition.body?.kind == row.kind)
        let sent = try fixture.sent(definition)
        #expect(sent.body == Array(row.bytes.utf8) && sent.headers.values("Content-Type") == [row.type])
    }

    @Test func `38.1 a header goes before the kind, the body's own type before the header`() throws {
        let header = RequestProperties(headers: [HeaderItem("content-type", "text/x")])
        let json = RequestProperties(body: .json([:]))
        let inherited = try fixture.define("POST", endpoint: header, json)
        #expect(try fixture.sent(inherited).headers.values("Content-Type") == ["text/x"])
        let typed = try fixture.define(
            "POST", endpoint: header, RequestProperties(body: .json([:]), contentType: "a/b"))
        #expect(try fixture.sent(typed).headers.values("Content-Type") == ["a/b"])
        #expect(try typed.settingHeader("Content-Type", ["c/d"]).headers["Content-Type"] == "c/d")
    }

    @Test func `38.2 a body takes the place of an inherited one, and its type goes with it`() throws {
        let endpoint = RequestProperties(body: .bytes([1]), contentType: "a/b")
        let definition = try fixture.define("POST", endpoint: endpoint, RequestProperties(body: .json([1])))
        #expect(definition.headers["Content-Type"] == "application/json")
        #expect(try fixture.sent(definition).body == Array("[1]".utf8))
        let text = try definition.setting(RequestProperties(body: .text("x", charset: "utf-8")))
        #expect(text.body?.kind == .text && text.body?.bytes == Array("x".utf8))
    }

    @Test func `38.3 a body can be taken out`() throws {
        let endpoint = RequestProperties(body: .bytes([1]), contentType: "a/b")
        var none = RequestProperties()
        none.body = .remove
        let definition = try fixture.define("POST", endpoint: endpoint, none)
        #expect(definition.body == nil && definition.headers.isEmpty)
        #expect(try definition == fixture.define("POST") && fixture.sent(definition).body == nil)
    }

    @Test(
        arguments: [
            (.text("箪", charset: "us-ascii"), "unencodable_text"),
            (.text("a", charset: "no-such"), "unencodable_text"),
            (.json("atom"), "invalid_json_object"), (.json([Tree(Double.nan)]), "invalid_json_object"),
            (.file(path: "/no/such/file"), "internal"),
            (.multipart([MultipartPart(name: "f", source: .file(path: "/no/such/file"))]), "internal"),
        ] as [(RequestBody, String)])
    func `38.5 what can't be encoded fails the request`(body: RequestBody, code: String) throws {
        let definition = try fixture.define("POST", RequestProperties(body: body))
        let request = definition.send()
        #expect(request.state == .completed && request.info?.response.error?.code == code)
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `38.5 a file is looked at when the request is made`() throws {
        let folder = TemporaryFolder()
        let definition = try fixture.define(
            "PUT", RequestProperties(body: .file(path: "\(folder.path)/late")))
        #expect(definition.send().info?.response.error?.code == "internal")
        folder.write("late", "here")
        #expect(definition.send().state == .inProgress)
        try fixture.stub("PUT", "", .response())
        fixture.settle()
    }
}
