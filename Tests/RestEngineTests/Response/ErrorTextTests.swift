import RestEngine
import Testing

/// D34: the reason is part of an error's text, besides its message for people.
struct ErrorTextTests {
    private static let script = RequestError.ScriptFailure(message: "no field", file: "a.lua", line: 7)

    private static func error(
        _ cause: RequestError.Cause, _ message: String? = nil, status: Int? = nil
    ) -> RequestError {
        RequestError(
            userMessage: message, httpStatusCode: status, cause: cause, timestamp: 0, url: "http://h/a",
            method: "GET")
    }

    private static let rows: [(RequestError, String)] = [
        (
            error(.wrongInputType(expected: "json", actual: "table", transformer: "flat"), status: 200),
            "Cannot parse server response (200 OK): flat expects json, got table"
        ),
        (
            error(.wrongOutputType(expected: "text", actual: "table", transformer: "flat"), status: 200),
            "Cannot parse server response (200 OK): flat returned table, but its 'output' is text"
        ),
        (
            error(.transformerReturnedNil(transformer: "flat")),
            "Cannot parse server response: flat returned nil: is a 'return' missing in it?"
        ),
        (error(.transformerReturnedNil(transformer: "flat"), "No user"), "No user: flat returned nil"),
        // 17.7 fixes the message. The text also says that it is the script's fault.
        (
            error(.scriptError(script), "Cannot parse server response", status: 200),
            "Script error (200 OK): a.lua:7: no field"
        ),
        (error(.scriptError(script)), "Script error: a.lua:7: no field"),
        (error(.scriptError(script), "no field", status: 200), "no field (200 OK) (a.lua:7)"),
        (
            error(
                .custom(type: "mine", fields: ["message": "outer", "cause": ["message": "inner"]]), "Sorry"),
            "Sorry: outer: inner"
        ),
        (error(.custom(type: "mine", fields: ["message": "said"])), "said"),
        (error(.custom(type: "mine", fields: ["cause": "plain words"]), "Sorry"), "Sorry: plain words"),
        (
            error(.custom(type: "mine", fields: ["message": "see http://u:pw@h/?token=abc"]), "Sorry"),
            "Sorry: see http://***@h/?token=***"
        ),
        (
            error(
                .transport(
                    TransportError(
                        .connectionFailed, message: "cannot connect", reason: "connection refused",
                        peer: "127.0.0.1:1"))),
            "cannot connect: connection refused (127.0.0.1:1)"
        ),
        (
            error(.transport(TransportError(.dnsFailed, message: "no such name", peer: "h")), "Offline"),
            "Offline: no such name (h)"
        ),
        (error(.internal(message: "a\u{1B}[31mb\u{9B}c")), "Request failed: a\\u{1b}[31mb\\u{9b}c"),
    ]

    @Test(arguments: rows)
    func `the text has the message of the innermost cause`(error: RequestError, text: String) {
        #expect(error.description == "GET http://h/a: " + text)
    }

    @Test func `the message for people stays fixed`() {
        let error = Self.error(.wrongOutputType(expected: "a", actual: "b", transformer: "t"))
        #expect(error.userMessage == "Cannot parse server response")
        #expect(error.code == "wrong_input_type")
    }
}
