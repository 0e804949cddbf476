import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Section 20 of the rules as scripts see it.
@Suite(.leakChecked) @EngineActor
struct ErrorRows {
    /// The error of a request, in the fields that `show` names.
    private func failure(
        _ request: String, _ show: String, stubs: [(String, StubReply)] = []
    ) throws -> [String] {
        try output(
            """
            rest.spawn(function()
              local entity, err = \(request):await()
              local c = err.cause
              print(\(show))
            end)
            """, stubs: stubs)
    }

    @Test("20.1 20.4: status, body, message and time of an HTTP error")
    func fields() throws {
        #expect(
            try failure(
                "api:resource('a'):load()",
                "err.user_message, err.http_status_code, err.entity.content, err.entity.content_type, c, err.timestamp == rest.now()",
                stubs: [("a", .text(404, "no", type: "text/plain; charset=utf-8"))])
                == ["Not found\t404\tno\ttext/plain; charset=utf-8\tnil\ttrue"])
        #expect(
            try failure(
                "api:resource('a'):load()", "#err.entity.content, err.entity.content_kind",
                stubs: [("a", .response(500))]) == ["0\tbytes"])
    }

    @Test(
        "20.2: the message is the one given, the cause's, the status' text, or the last resort",
        arguments: [
            ("{ user_message = 'm', http_status_code = 404, cause = { type = 'x', message = 'c' } }", "m"),
            ("{ http_status_code = 404, cause = { type = 'x', message = 'c' } }", "c"),
            ("{ http_status_code = 404 }", "Not found"), ("{}", "Request failed"),
        ])
    func message(options: String, message: String) throws {
        try expect("print(rest.error(\(options)).user_message)", prints: [message])
    }

    @Test(
        "20.3 D23: status texts",
        arguments: [
            (400, "Bad request"), (401, "Unauthorized"), (403, "Forbidden"), (404, "Not found"),
            (500, "Internal server error"), (503, "Service unavailable"), (507, "Server error"),
            (418, "Client error"), (422, "Client error"), (599, "Server error"),
        ])
    func statusText(status: Int, text: String) throws {
        #expect(
            try failure(
                "api:resource('a'):load()", "err.user_message, err.http_status_code",
                stubs: [("a", .response(status))]) == ["\(text)\t\(status)"])
    }

    @Test("20.5 D12: status, body and cause stand beside each other")
    func statusAndCause() throws {
        #expect(
            try failure(
                "api:resource('a'):load()", "err.http_status_code, c.type, err.entity.content",
                stubs: [("a", .json(201, "{"))]) == ["201\tmalformed_json\t{"])
    }

    /// Request, `type`, and the fields of the type; message.
    nonisolated static let requestSide: [(String, String, String)] = [
        (
            "api:resource_at('no url'):load()", "c.type, c.source",
            "Cannot send request with invalid URL\tinvalid_url\tno url"
        ),
        (
            "api:resource_at(nil):load()", "c.type, c.source",
            "Cannot send request with invalid URL\tinvalid_url\tnil"
        ),
        (
            "api:resource('a'):request('POST', { text = 'Hör', charset = 'us-ascii' })",
            "c.type, c.encoding, c.text", "Cannot send request\tunencodable_text\tus-ascii\tHör"
        ),
        (
            "api:resource('a'):request('POST', { text = 'a', charset = 'Klingon' })",
            "c.type, c.encoding, c.text", "Cannot send request\tunencodable_text\tKlingon\ta"
        ),
        (
            "api:resource('a'):request('POST', { text = '\\xED\\xA0\\x80' })",
            "c.type, c.encoding, c.text == '\\xED\\xA0\\x80'",
            "Cannot send request\tunencodable_text\tutf-8\ttrue"
        ),
        (
            "api:resource('a'):request('POST', { json = { 1, print } })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = 'text' })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = rest.null })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = { 0/0 } })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = { api } })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = { '\\xFF' } })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "(function() local t = {} t.t = t return api:resource('a'):request('POST', { json = t }) end)()",
            "c.type", "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { json = { 1, a = 2 } })", "c.type",
            "Cannot send request\tinvalid_json_object"
        ),
        (
            "api:resource('a'):request('POST', { form = { a = '\\xED\\xA0\\x80' } })",
            "c.type, c.string == '\\xED\\xA0\\x80'", "Cannot send request\tnot_url_encodable\ttrue"
        ),
        (
            "api:resource('a'):request('POST', { form = { ['\\xFF'] = 'a' } })",
            "c.type, c.string == '\\xFF'", "Cannot send request\tnot_url_encodable\ttrue"
        ),
        (
            "api:resource('a'):request('F B')", "c.type, c.method",
            "Cannot create request\tinvalid_request_method\tF B"
        ),
    ]

    @Test("20.6 20.9: what can't be sent says why, and nothing is sent", arguments: requestSide)
    func cannotSend(request: String, show: String, expected: String) throws {
        #expect(try failure(request, "err.user_message, \(show)") == [expected])
        #expect(try output("print((\(request)).state)", stubs: []) == ["completed"])
    }

    @Test("20.7: a cancellation")
    func cancellation() throws {
        #expect(
            try failure(
                "(function() local r = api:resource('a'):load() r:cancel() return r end)()",
                "err.user_message, c.type, err.http_status_code", stubs: [("a", .response())])
                == ["Request cancelled\trequest_cancelled\tnil"])
    }

    @Test(
        "20.8: a transport's error has its phase and message, or its limit",
        arguments: TransportError.Code.allCases)
    func transport(code: TransportError.Code) throws {
        let error = TransportError(code, phase: .connect, message: "No way", limit: 5)
        #expect(
            try failure(
                "api:resource('a'):load()", "err.user_message, c.type, c.phase, c.message, c.limit",
                stubs: [("a", .error(error))]) == ["No way\t\(code.rawValue)\tconnect\tNo way\t5"])
    }

    @Test("20.8: too many redirects, counted")
    func redirects() throws {
        #expect(
            try failure(
                "(function() api:configure(function(c) c.redirects.max = 2 end) return api:resource('a'):load() end)()",
                "err.user_message, c.type, c.count",
                stubs: [("a", .response(302, headers: Headers([("Location", "a")])))])
                == ["Too many redirects\ttoo_many_redirects\t2"])
    }

    @Test("20.10: an error clears no data")
    func dataStays() throws {
        let lines = try output(
            """
            local r = api:resource("a") r:override_local_content("kept")
            rest.spawn(function() r:load():await() print(r.text, r.latest_error.http_status_code) end)
            """, stubs: [("a", .response(500))])
        #expect(lines == ["kept\t500"])
    }

    @Test("20.12: an error names URL, method and attempt, and reads as one line")
    func place() throws {
        #expect(
            try failure(
                "api:resource('a'):request('PUT')", "err.url, err.method, err.attempt, err",
                stubs: [("a", .response(403))])
                == ["https://api.test/v1/a\tPUT\t1\tPUT https://api.test/v1/a: Forbidden (403)"])
    }
}
