import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RequestBodyTests {
    let fixture = EngineFixture()

    private func send(_ options: RequestOptions, _ method: Method = "POST") throws -> TransportRequest {
        try fixture.stub(method, "a", .response())
        fixture.resource("a").request(method, options)
        fixture.settle()
        return try #require(fixture.transport.requests.last)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: RequestBody
        var contentType: String?
        let bytes: [UInt8]
        let type: String
        var testDescription: String { "\(body)" }
    }

    @Test(arguments: [
        Row(body: .bytes([0, 255]), bytes: [0, 255], type: "application/octet-stream"),
        Row(body: .bytes([1]), contentType: "image/x", bytes: [1], type: "image/x"),
        Row(
            body: .text("é", charset: "utf-8"), bytes: [0xC3, 0xA9], type: "text/plain; charset=utf-8"),
        Row(
            body: .text("é", charset: "ISO-8859-1"), bytes: [0xE9], type: "text/plain; charset=iso-8859-1"),
        Row(
            body: .text("箪", charset: "euc-jp"), contentType: "text/html", bytes: [0xC3, 0xBD],
            type: "text/html; charset=euc-jp"),
        Row(
            body: .text("a", charset: "utf-8"), contentType: "text/html; charset=us-ascii", bytes: [0x61],
            type: "text/html; charset=us-ascii"),
        Row(
            body: .form([("b", "2 &"), ("a", "ü?/"), ("b", "1")]),
            bytes: Array("a=%C3%BC?/&b=1&b=2%20%26".utf8),
            type: "application/x-www-form-urlencoded"),
        Row(body: .form([]), bytes: [], type: "application/x-www-form-urlencoded"),
    ])
    func `6.3 6.4 6.6 bytes and content types`(row: Row) throws {
        let sent = try send(RequestOptions(body: row.body, contentType: row.contentType))
        #expect(sent.body == row.bytes)
        #expect(sent.headers.values("Content-Type") == [row.type])
    }

    @Test func `6.5 JSON is compact and has no charset`() throws {
        let sent = try send(RequestOptions(body: .json(["b": 1, "a": [true, .null]])))
        #expect(sent.body == Array(#"{"b":1,"a":[true,null]}"#.utf8))
        #expect(sent.headers["Content-Type"] == "application/json")
    }

    @Test(
        arguments: [
            (.text("箪", charset: "us-ascii"), "unencodable_text"),
            (.text("€", charset: "iso-8859-1"), "unencodable_text"),
            (.text("a", charset: "no-such"), "unencodable_text"), (.json("atom"), "invalid_json_object"),
            (.json(1), "invalid_json_object"), (.json([Tree(Double.nan)]), "invalid_json_object"),
        ] as [(RequestBody, String)])
    func `6.4 6.5 20.9 what can't be encoded has failed already`(body: RequestBody, code: String) throws {
        let request = fixture.resource("a").request("POST", RequestOptions(body: body))
        #expect(request.state == .completed)
        #expect(request.progress == 1)
        let error = try #require(request.info?.response.error)
        #expect(error.code == code && error.userMessage == "Cannot send request")
        #expect(error.url == "https://api.test/v1/a" && error.method == "POST")
        #expect(!fixture.resource("a").isRequesting)
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty)
    }

    /// configured mutator > ad hoc mutation > the body's type > configured header
    @Test(arguments: [(0, "text/plain; charset=utf-8"), (1, "ad/hoc"), (2, "mutator/type")])
    func `6.8 6.9 the order of the sources of Content-Type`(level: Int, type: String) throws {
        try fixture.configure { draft in
            draft.configuration.headers.set("content-type", "configured/type")
            if level >= 2 {
                draft.configuration.mutators.append { $0.headers.set("Content-Type", "mutator/type") }
            }
        }
        var options = RequestOptions(body: .text("x", charset: "utf-8"))
        if level >= 1 { options.mutate = { $0.headers.set("Content-Type", "ad/hoc") } }
        #expect(try send(options).headers.values("Content-Type") == [type])
    }

    @Test func `6.8 a header of the options beats the body's own type, an explicit type beats both`() throws {
        var options = RequestOptions(body: .bytes([1]))
        options.headers.set("content-type", "by/header")
        #expect(try send(options).headers.values("Content-Type") == ["by/header"])
        options.contentType = "by/option"
        #expect(try send(options).headers.values("Content-Type") == ["by/option"])
    }

    @Test func `6.7 the mutation edits the final request`() throws {
        var options = RequestOptions(body: .bytes([1]))
        options.query = [("q", ["1", "2"])]
        options.headers = Headers([("X-A", "1"), ("X-A", "2")])
        options.mutate = { draft in
            #expect(draft.url == "https://api.test/v1/a?q=1&q=2")
            #expect(draft.headers.values("x-a") == ["1", "2"])
            draft.method = "put"
            draft.url = "https://api.test/v1/b"
            draft.body = [2]
        }
        try fixture.stub("PUT", "b", .response())
        let request = fixture.resource("a").request("POST", options)
        fixture.settle()
        #expect(request.info?.response.error == nil)
        let sent = try #require(fixture.transport.requests.first)
        #expect(sent.method == "PUT" && sent.url == "https://api.test/v1/b" && sent.body == [2])
    }

    @Test(
        arguments: [
            ("GET", "GET"), ("get", "GET"), ("Patch", "PATCH"), ("OPTIONS", "OPTIONS"), ("PURGE", "PURGE"),
            ("purge", "purge"), ("M-SEARCH", "M-SEARCH"),
        ])
    func `6.1 D25 methods as they are sent`(method: String, sent: String) throws {
        try fixture.transport.stub(method: nil, urlGlob: "**", .response())
        fixture.resource("a").request(Method(method))
        fixture.settle()
        #expect(fixture.transport.requests.map(\.method) == [sent])
    }

    @Test(arguments: ["", "A B", "GET\r\nX: y", "a/b", "ü"])
    func `6.2 D25 a malformed method has failed already`(method: String) throws {
        let request = fixture.resource("a").request(Method(method))
        let error = try #require(request.info?.response.error)
        #expect(error.userMessage == "Cannot create request")
        guard case .invalidRequestMethod(method) = error.cause else {
            Issue.record("cause \(String(describing: error.cause))")
            return
        }
    }

    @Test(
        arguments: [
            ("X-A", "a\r\nX-B: c"), ("X-A", "a\nb"), ("X-A", "a\0"), ("X A", "a"), ("", "a"), ("X:", "a"),
            ("X-A\r\nX-B", "a"),
        ])
    func `RFC 9110 5.5 a header that would break the message is not sent`(name: String, value: String) throws
    {
        var options = RequestOptions()
        options.headers = Headers([(name, value)])
        let request = fixture.resource("a").request("GET", options)
        fixture.settle()
        #expect(request.info?.response.error != nil)
        #expect(fixture.transport.requests.isEmpty)
    }
}
