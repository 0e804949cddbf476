import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RequestErrorTests {
    let fixture = EngineFixture()

    @Test(
        arguments: [
            (
                RequestError(userMessage: "mine", httpStatusCode: 404, cause: .unparsableImage, timestamp: 0),
                "mine"
            ),
            (
                RequestError(httpStatusCode: 404, cause: .unparsableImage, timestamp: 0),
                "Cannot parse server response"
            ),
            (RequestError(httpStatusCode: 404, timestamp: 0), "Not found"),
            (RequestError(timestamp: 0), "Request failed"),
        ])
    func `20.2 which message is shown`(error: RequestError, message: String) {
        #expect(error.userMessage == message)
    }

    @Test(
        arguments: [
            (400, "Bad request"), (401, "Unauthorized"), (404, "Not found"), (500, "Internal server error"),
            (507, "Server error"), (418, "Client error"), (499, "Client error"), (599, "Server error"),
            (999, "Server error"), (200, "No error"), (299, "Success"), (304, "Not modified"),
            (399, "Redirected"),
            (100, "Continue"), (199, "Informational"),
        ])
    func `20.3 D23 status texts`(status: Int, text: String) {
        #expect(StatusText.text(for: status) == text)
    }

    /// Each cause with its code and its message.
    nonisolated static let causes: [(RequestError.Cause, String, String)] = [
        (.invalidURL(source: nil), "invalid_url", "Cannot send request with invalid URL"),
        (.unencodableText(encoding: "a", text: "b"), "unencodable_text", "Cannot send request"),
        (.invalidJSONObject(message: "m"), "invalid_json_object", "Cannot send request"),
        (.notURLEncodable(string: "s"), "not_url_encodable", "Cannot send request"),
        (.invalidRequestMethod(method: "m"), "invalid_request_method", "Cannot create request"),
        (.requestCancelled, "request_cancelled", "Request cancelled"),
        (.noLocalDataFor304, "no_local_data_for_304", "No data available"),
        (.invalidTextEncoding(name: "n"), "invalid_text_encoding", "Cannot parse server response"),
        (.undecodableText(encoding: "e"), "undecodable_text", "Cannot parse server response"),
        (.jsonNotObjectOrArray(actual: "null"), "json_not_object_or_array", "Cannot parse server response"),
        (.malformedJSON(offset: 1, message: "m"), "malformed_json", "Cannot parse server response"),
        (
            .malformedContent(FormatError("XML", at: .line(1, column: 2), "m")), "malformed_content",
            "Cannot parse server response"
        ),
        (.unparsableImage, "unparsable_image", "Cannot parse server response"),
        (.schemaMismatch(count: 1, message: "m"), "schema_mismatch", "Unexpected server response"),
        (
            .wrongInputType(expected: "a", actual: "b", transformer: "t"), "wrong_input_type",
            "Cannot parse server response"
        ),
        (
            .transformerReturnedNil(transformer: "t"), "transformer_returned_nil",
            "Cannot parse server response"
        ),
        (.tooManyRedirects(limit: 3), "too_many_redirects", "Too many redirects"),
        (.transport(TransportError(.timeout, message: "m")), "timeout", "m"),
        (.internal(message: "m"), "internal", "Request failed"),
        (.custom(type: "mine", fields: ["message": "said"]), "mine", "said"),
        (.custom(type: "mine", fields: [:]), "mine", "Request failed"),
    ]

    @Test(arguments: causes)
    func `20.6 20.7 20.8 20.9 D24 codes and messages of causes`(
        cause: RequestError.Cause, code: String, message: String
    ) {
        let error = RequestError(cause: cause, timestamp: 0)
        #expect(error.code == code)
        #expect(error.userMessage == message)
    }

    @Test func `20.9 every transport code is a code of an error`() {
        for code in TransportError.Code.allCases {
            let error = RequestError(cause: .transport(TransportError(code, message: "m")), timestamp: 0)
            #expect(error.code == code.rawValue)
        }
        #expect(RequestError(httpStatusCode: 404, timestamp: 0).code == "http_4xx")
        #expect(RequestError(timestamp: 0).code == "unknown")
    }

    @Test(arguments: Array(400...410) + Array(500...505))
    func `20.11 each of these statuses is an error with that code`(status: Int) throws {
        try fixture.stub("GET", "a", .text(status, "body"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        let error = try #require(resource.latestError)
        #expect(error.httpStatusCode == status && error.cause == nil)
        #expect(error.userMessage == StatusText.text(for: status))
        #expect(error.entity?.content.text == "body")
        #expect(error.url == "https://api.test/v1/a" && error.method == "GET")
        #expect(error.timestamp == 1_000_000)
    }

    @Test func `20.4 the body of a failure is there even with no bytes`() throws {
        try fixture.stub("GET", "a", .response(500))
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.info?.response.error?.entity != nil)
    }

    @Test(arguments: TransportError.Code.allCases)
    func `20.1 20.13 a transport's error has neither status nor body`(code: TransportError.Code) throws {
        try fixture.stub("GET", "a", .error(TransportError(code, phase: .connect, message: "No way")))
        let request = fixture.resource("a").load()
        fixture.settle()
        let error = try #require(request.info?.response.error)
        #expect(error.httpStatusCode == nil && error.entity == nil)
        #expect(error.userMessage == "No way" && error.code == code.rawValue)
        #expect(error.description == "GET https://api.test/v1/a: No way")
    }

    @Test func `17.7 a thrown error is used as it is, others become the cause`() {
        let known = RequestError(userMessage: "mine", timestamp: 1)
        let used = RequestError(thrown: known, timestamp: 2, url: "u", method: "M")
        #expect(used.userMessage == "mine" && used.timestamp == 1 && used.url == "u" && used.method == "M")
        struct Other: Error {}
        #expect(RequestError(thrown: Other(), timestamp: 2).code == "internal")
        let cause = RequestError.CauseError(.unparsableImage)
        #expect(RequestError(thrown: cause, timestamp: 2).code == "unparsable_image")
    }

    @Test func `one line for logs`() {
        var error = RequestError(
            httpStatusCode: 200, cause: .malformedJSON(offset: 3, message: "bad"), timestamp: 0, url: "u",
            method: "PUT")
        error.attempt = 2
        #expect(
            error.description
                == "PUT u: Cannot parse server response (200 OK): malformed JSON at byte 3: bad (attempt 2)")
        #expect("\(RequestError(timestamp: 0))" == "Request failed")
    }
}
