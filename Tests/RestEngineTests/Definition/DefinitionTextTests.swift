import Testing

@testable import RestEngine

/// Requests as Lua code that defines them (rule 76.5).
@Suite struct DefinitionTextTests {
    private func text(
        _ method: String, _ url: String, of service: String? = "shop", _ headers: [String: String] = [:],
        body: String? = nil
    ) throws -> String {
        var text = DefinitionText(method, url, of: service, try BaseURL("https://api.test/v1?key=1"))
        let headers = Headers(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        text.add(headers, .standard)
        if let body { text.add(body: Array(body.utf8), headers["Content-Type"]) }
        return text.description
    }

    @Test(arguments: [
        ("users/ada", #"shop:define("GET", "users/ada")"#),
        ("users/ada?key=1", #"shop:define("GET", "users/ada")"#),
        ("?key=1", #"shop:define("GET")"#),
        ("a%20b", #"shop:define("GET", "a b")"#),
        ("a%2Fb", "shop:define(\"GET\", {\n  path = { rest.raw \"a%2Fb\" },\n})"),
        ("x%7By%7D", "shop:define(\"GET\", {\n  path = { rest.raw \"x%7By%7D\" },\n})"),
        ("users/", #"rest.request("GET", "https://api.test/v1/users/")"#),
        (
            "x?q=a%2Bb&flag&empty=&key=1",
            "shop:define(\"GET\", \"x\", {\n  query = { { \"q\", \"a+b\" }, { \"flag\", rest.null }, { \"empty\", \"\" } },\n})"
        ),
        ("x?q=a+b", "shop:define(\"GET\", \"x\", {\n  query = { { \"q\", rest.raw \"a+b\" } },\n})"),
    ]) func `76.5 a URL is a path of the service`(path: String, definition: String) throws {
        #expect(try text("GET", "https://api.test/v1/" + path) == definition)
    }

    @Test func `76.5 a URL of another host, and a request of no service`() throws {
        let url = "https://cdn.test/v1/x"
        #expect(try text("GET", url) == #"rest.request("GET", "https://cdn.test/v1/x")"#)
        #expect(try text("GET", "https://api.test/v1/x", of: nil).hasPrefix("rest.request("))
        #expect(try text("GET", "https://api.test/v1/x", of: "my-api").hasPrefix("service:define("))
        #expect(try text("GET", "https://api.test/v1/x", of: "end").hasPrefix("service:define("))
    }

    @Test func `76.5 headers of the engine and secrets are left out`() throws {
        let definition = try text(
            "GET", "https://api.test/v1/x",
            [
                "Accept": "a/b", "Authorization": "Bearer t0ken42", "If-None-Match": "\"1\"",
                "traceparent": "00-1-2-01", "X-Note": "a \"b\"\n\u{1}",
            ])
        #expect(
            definition == """
                shop:define("GET", "x", {
                  headers = { { "Accept", "a/b" }, { "X-Note", "a \\"b\\"\\n\\001" } },
                  -- without the secret header Authorization
                })
                """)
    }

    @Test(arguments: [
        (
            "application/json", #"{"name":"Ada","n":[1,2.5,null,true],"x-y":1,"end":2}"#,
            #"json = { name = "Ada", n = { 1, 2.5, rest.null, true }, ["x-y"] = 1, ["end"] = 2 },"#
        ),
        // In Lua an empty table says nothing about its kind.
        ("application/json", "{\"a\":[]}", #"body = "{\"a\":[]}","#),
        (
            "application/problem+json", "{\"a\":1}",
            "json = { a = 1 },\n  content_type = \"application/problem+json\","
        ),
        ("application/x-www-form-urlencoded", "a=1&b=x+y", #"form = { { "a", "1" }, { "b", "x y" } },"#),
        ("text/plain", "ä", "body = \"ä\",\n  content_type = \"text/plain\","),
    ]) func `76.5 a body is written as it would be defined`(type: String, body: String, line: String) throws {
        let definition = try text("POST", "https://api.test/v1/x", ["Content-Type": type], body: body)
        #expect(definition.contains("\n  " + line + "\n"), "\(definition)")
    }
}
