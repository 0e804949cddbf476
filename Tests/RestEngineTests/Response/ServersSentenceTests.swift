import RestEngine
import Testing

/// The server's explanation is part of the error's text, but not of the message for people.
struct ServersSentenceTests {
    private static func error(_ content: Content, _ type: String, cause: RequestError.Cause? = nil)
        -> RequestError
    {
        let entity = Entity(
            content: content, contentType: type, timestamp: 0)
        return RequestError(httpStatusCode: 400, entity: entity, cause: cause, timestamp: 0)
    }

    @Test(arguments: [
        // etcd, Prometheus, docker-registry, RFC 9457, RFC 6749, FastAPI.
        (#"{"error":"user name is empty","message":"user name is empty","code":3}"#, ": user name is empty"),
        (#"{"status":"error","errorType":"bad_data","error":"1:4: parse error"}"#, ": 1:4: parse error"),
        (
            #"{"errors":[{"code":"NO","message":"manifest unknown","detail":{"Tag":"v9"}}]}"#,
            ": manifest unknown"
        ),
        (#"{"title":"Out of credit","detail":"The balance is 30."}"#, ": The balance is 30."),
        (#"{"error":"invalid_grant","error_description":"The code is used up"}"#, ": The code is used up"),
        (#"{"detail":[{"loc":["a"],"msg":"field required"}]}"#, ": field required"),
        (#"{"error":{"code":7,"message":" quota\n exceeded "}}"#, ": quota exceeded"),
        (#"{"error":{"type":"x"},"reason":"because"}"#, ": because"),
        (#"{"message":"bad REQUEST"}"#, ""), (#"{"message":"","status":"x"}"#, ""), (#"{"message":7}"#, ""),
        (#"["first", "second"]"#, ": first"), ("[]", ""), ("{}", ""),
        (#"{"message":"see https://h/?token=abc"}"#, ": see https://h/?token=***"),
        (#"{"message":"a\u001b[31mb"}"#, #": a\u{1b}[31mb"#),
        (#"{"a":{"message":"inside of another name"}}"#, ""),
    ])
    func `a sentence of the JSON`(body: String, said: String) throws {
        let tree = try Tree(json: body)
        #expect(Self.error(.json(tree), "application/json").description == "Bad request (400)" + said)
        #expect(Self.error(.json(tree), "application/json").userMessage == "Bad request")
    }

    @Test(arguments: [
        ("404 page not found\n", "text/plain; charset=utf-8", ": 404 page not found"),
        ("\n\n  no \t such  thing\nmore", "text/plain", ": no such thing"),
        ("<html><h1>Bad</h1>", "text/html", ""), ("", "text/plain", ""), (" \n ", "text/plain", ""),
    ])
    func `the first line of plain text`(body: String, type: String, said: String) {
        #expect(Self.error(.text(body), type).description == "Bad request (400)" + said)
    }

    @Test func `it is cut, and large bodies are no place to look for one`() throws {
        let long = String(repeating: "word ", count: 100)
        let text = Self.error(.json(["message": Tree(long)]), "application/json").description
        #expect(text == "Bad request (400): " + long.prefix(199) + "…", "200 characters")
        let large: Tree = ["message": "small", "data": Tree(String(repeating: "x", count: 70_000))]
        #expect(Self.error(.json(large), "application/json").description == "Bad request (400)")
    }

    @Test func `47.1 a secret is hidden where the text is cut, too`() throws {
        let secret = "canary-of-a-cut-sentence"
        #expect(SecretMask.hide(secret))
        let long = String(repeating: "x", count: 190) + " " + secret
        for (content, type) in [
            (Content.json(["message": Tree(long)]), "application/json"), (.text(long), "text/plain"),
        ] {
            let text = Self.error(content, type).description
            #expect(text.hasSuffix("x ***"), "\(text)")
        }
    }

    @Test func `a cause says more than the body`() throws {
        let error = Self.error(
            .json(["message": "said"]), "application/json",
            cause: .malformedJSON(offset: 1, message: "no value"))
        #expect(
            error.description
                == "Cannot parse server response (400 Bad Request): malformed JSON at byte 1: no value")
    }
}
