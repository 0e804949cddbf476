import TestSupport
import Testing

@testable import RestEngine
@testable import RestScript

/// The inspector's copies of requests are code that defines the same requests (rule 76.5).
@Suite(.leakChecked) @EngineActor
struct DefinitionCodeTests {
    private func code(
        _ path: String, _ headers: [(String, String)] = [], _ body: String? = nil
    ) throws -> String {
        let method = body == nil ? "GET" : "POST"
        var text = DefinitionText(
            method, "https://api.test/v1/" + path, of: "api", try BaseURL("https://api.test/v1"))
        let headers = Headers(headers)
        text.add(headers, .standard)
        if let body { text.add(body: Array(body.utf8), headers["Content-Type"]) }
        return text.description
    }

    @Test(arguments: [
        "", "users/ada", "a%20b/%C3%A4", "a%2Fb", "x%7By%7D", "a+b;c=d", "x?q=a%2Bb&flag&empty=", "x?q=a+b",
        "x?q=1&q=2", "x?%5Ba%5D=%26%3D", "users/", "a//b",
    ]) func `76.5 it has the same URL`(path: String) throws {
        try expect("print((\(code(path))).url)", prints: ["https://api.test/v1/" + path])
    }

    @Test(arguments: [
        ("application/json", #"{"a":[1,2.5,null,true],"b-c":"x\n\"'\\","end":1}"#),
        ("application/json", #"{"a":[],"b":{}}"#), ("application/merge-patch+json", "[1,2]"),
        ("application/x-www-form-urlencoded", "b=x%20y&a=%26&b=2"),
        ("text/plain; charset=utf-8", "ä \u{1}1 ]] \""),
    ]) func `76.5 it has the same body and type`(type: String, body: String) throws {
        let code = try code("x", [("Content-Type", type)], body)
        let draft = RequestDraft(
            method: "POST", url: "https://api.test/v1/x", headers: Headers([("Content-Type", type)]),
            body: Array(body.utf8))
        let curl = try CurlCommand(draft, mask: .standard).description
        try expect("print((\(code)):curl())", prints: [curl])
    }

    @Test func `76.5 it has the same headers`() throws {
        try expect(
            "local d = \(code("x", [("X-A", "it's \"a\""), ("Accept", "a/b")])) print(d.headers['X-A'], d.headers.Accept)",
            prints: ["it's \"a\"\ta/b"])
    }
}
