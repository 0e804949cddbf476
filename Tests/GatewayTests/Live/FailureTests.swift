import RestEngine
import Testing

@testable import Gateway

@Suite struct FailureTests {
    @Test func `An upstream's complaint keeps its status`() async throws {
        try await World.run(automatic: { _ in .success(.stub(#"{"message":"no"}"#, status: 404)) }) {
            _, site in
            let answer = try site.get("/github/users/nobody")
            #expect(answer.status == 404)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer.problem("type") == "about:blank")
            #expect(answer.problem("title") == "Not Found")
            #expect(answer.json?["status"]?.int == 404)
            #expect(answer.problem("code") == "http_4xx")
            #expect(answer.problem("url") == "https://api.github.com/v3/users/nobody")
            #expect(answer.json?["attempt"]?.int == 1)
        }
    }

    @Test(arguments: [
        (#"{"message":"no such user"}"#, "application/json", "no such user"),
        (#"{"detail":"gone","title":"x"}"#, "application/problem+json", "gone"),
        (#"{"title":"Not here"}"#, "application/json", "Not here"),
        (#"{"error":"bad"}"#, "application/json", "bad"),
        ("first\nsecond", "text/plain", "first"), ("<p>no</p>", "text/html", nil),
        ("[1]", "application/json", nil), ("", "text/plain", nil),
        (#"{"message":"token=s3cret-s3cret is old"}"#, "application/json", "token=*** is old"),
        (String(repeating: "x", count: 500), "text/plain", String(repeating: "x", count: 199) + "…"),
    ])
    func `73.4 The API's own reason is a member of the problem`(
        body: String, type: String, reason: String?
    ) async throws {
        try await World.run(automatic: { _ in .success(.stub(body, status: 404, type: type)) }) { _, site in
            let answer = try site.get("/github/users/nobody")
            #expect(answer.status == 404 && answer.problem("reason") == reason)
            #expect(answer.problem("detail") == "Not found (404)")
        }
    }

    @Test func `47.5 credentials that an API quotes don't reach a client`() async throws {
        let echo: @EngineActor @Sendable (TransportRequest) -> TransportResult = { request in
            let token = request.headers["Authorization"]?.split(separator: " ").last ?? ""
            let key = request.url.split(separator: "=").last ?? ""
            return .success(.stub(#"{"message":"\#(token) or \#(key) is old"}"#, status: 401))
        }
        try await World.run(automatic: echo) { world, site in
            try await world.configure("**") { $0.headers.set("Authorization", "Bearer opaque-8472-x") }
            let answer = try site.get("/github/a?api_key=opaque-9941-y")
            #expect(answer.status == 401 && answer.problem("reason") == "*** or *** is old")
            #expect(!answer.body.contains("opaque"))
        }
    }

    @Test(arguments: [
        (TransportError.Code.connectionFailed, 502), (.dnsFailed, 502), (.tlsFailed, 502), (.tooLarge, 502),
        (.decodingFailed, 502), (.timeout, 504), (.queueFull, 503), (.internal, 500),
    ])
    func `A transport's failure has a status`(_ code: TransportError.Code, status: Int) async throws {
        let error = TransportError(code, message: "it broke")
        try await World.run(automatic: { _ in .failure(error) }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == status)
            #expect(answer.problem("code") == code.rawValue)
            #expect(answer.problem("detail") == "it broke")
            #expect(answer["Retry-After"] == (status == 503 ? "1" : nil))
        }
    }

    @Test(arguments: [
        (RequestError.Cause.scriptError(.init(message: "m", file: "a.lua", line: 3)), 500),
        (.scriptLimit(budget: "time", used: 1, limit: 1, failure: .init(message: "m")), 500),
        (.transformerReturnedNil(transformer: "t"), 500),
        (.wrongInputType(expected: "text", actual: "json", transformer: "t"), 500),
        (.malformedJSON(offset: 1, message: "m"), 502),
        (.malformedContent(FormatError("CSV", at: .row(2, line: 3), "m")), 502),
        (.jsonNotObjectOrArray(actual: "number"), 502),
        (.undecodableText(encoding: "utf-8"), 502), (.unparsableImage, 502), (.noLocalDataFor304, 502),
        (.schemaMismatch(count: 1, message: "m"), 502),
        (.tooManyRedirects(limit: 20), 502), (.requestCancelled, 503),
    ])
    func `A failure inside the host has a status`(_ cause: RequestError.Cause, status: Int) {
        let path = ResourcePath(service: "s", path: "", query: nil)
        let problem = Problem(RequestError(cause: cause, timestamp: 0), reading: path)
        #expect(problem.status == status)
        #expect(problem.code == cause.code)
    }

    @Test func `A redirect that leads nowhere is the upstream's fault`() async throws {
        let reply: @EngineActor @Sendable (TransportRequest) -> TransportResult = { _ in
            .success(.stub("", status: 302))
        }
        try await World.run(automatic: reply) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == 502 && answer.problem("code") == "invalid_url")
        }
    }

    @Test func `Clients get the reason, and no address, proxy, socket or file of the host`() {
        let path = ResourcePath(service: "s", path: "", query: nil)
        func detail(_ cause: RequestError.Cause, _ message: String? = nil) -> String {
            Problem(RequestError(userMessage: message, cause: cause, timestamp: 0), reading: path).detail
        }
        let failure = TransportError(
            .connectionFailed, message: "cannot connect to the server", reason: "connection refused",
            peer: "socket /run/secret")
        #expect(detail(.transport(failure)) == "cannot connect to the server: connection refused")
        #expect(
            detail(.wrongOutputType(expected: "text", actual: "table", transformer: "flat"))
                == "Cannot parse server response: flat returned table, but its 'output' is text")
        #expect(
            detail(.scriptError(.init(message: "m", file: "a.lua", line: 3)), "Cannot parse server response")
                == "Script error: a.lua:3: m")
        #expect(detail(.custom(type: "mine", fields: ["message": "why"]), "Sorry") == "Sorry: why")
        #expect(detail(.custom(type: "internal", fields: ["message": "/etc/x"]), "Sorry") == "Sorry")
    }

    @Test func `Malformed JSON is the upstream's fault`() async throws {
        try await World.run(automatic: { _ in .success(.stub("{")) }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == 502)
            #expect(answer.problem("code") == "malformed_json")
        }
    }

    @Test func `What the configuration added to a URL stays secret`() {
        let path = ResourcePath(service: "s", path: "a", query: "q=1&b")
        let error = RequestError(
            httpStatusCode: 403, timestamp: 0, url: "https://me:pw@h.example/a?key=secret&q=1&b&q=2#x")
        #expect(Problem(error, reading: path).url == "https://h.example/a?key=***&q=1&b&q=***")
        let broken = RequestError(cause: .invalidURL(source: "ht tp://secret"), timestamp: 0)
        #expect(!Problem(broken, reading: path).detail.contains("secret"))
    }

    @Test func `An unknown service is answered with the names of those that exist`() async throws {
        try await World.run { world, site in
            await world.add("weather", "https://w.example")
            for target in ["/githup/a", "/", "/nothing"] {
                let answer = try site.get(target)
                #expect(answer.status == 404)
                #expect(answer.problem("code") == "unknown_service")
                #expect(answer.json?["services"] == ["github", "weather"])
                let names =
                    target == "/"
                    ? "names no service: /SERVICE/PATH" : "no service '\(target.split(separator: "/")[0])'"
                #expect(answer.problem("detail")?.contains(names) == true)
            }
            await world.add("bare", nil)
            #expect(try site.get("/bare/a").problem("code") == "no_base_url")
        }
    }

    @Test(arguments: [
        "/github/../x", "/github/a/..%2Fb", "/github/%2e%2E/x", "/github/%252e%252e/x",
        "/github//evil.example/x",
        "/github/http://evil.example", "/github/https:%2F%2Fevil.example", "/github/a%5C..", "/github/a%00b",
        "/github/a%0D%0Ab", "/github/..;x/a", "/github/%C0%AE%C0%AE/x", "/github/a%C0%AFb",
        "/github/%E0%80%AE",
        "/github/%25C0%25AE", "/github/%ED%A0%80", "/github/a%ED%BF%BFb", "/github/%F4%90%80%80",
        "/github/%F5%80%80%80", "/github/%F8%88%80%80%80", "/github/%25ED%25A0%2580",
    ])
    func `A path that could leave the base URL is refused`(_ target: String) async throws {
        try await World.run { world, site in
            let answer = try site.get(target)
            #expect(answer.status == 400)
            #expect(answer.problem("code") == "bad_path")
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test(arguments: [
        ("/github//get", "the path begins with an empty segment"),
        ("/github/a%00b", "the path has a control character"),
        ("/github/a/../b", "the path leaves the base URL"),
        ("/github/http://a", "the path is a URL of its own"),
        ("/github/a%5Cb", "the path has a backslash"), ("/github/%C0%AE", "in overlong UTF-8"),
        ("/github/%ED%A0%80", "half a surrogate pair"), ("/github/%F4%90%80%80", "beyond U+10FFFF"),
    ])
    func `The error of a path is reported`(_ target: String, reason: String) async throws {
        try await World.run { _, site in
            let detail = try site.get(target).problem("detail") ?? ""
            #expect(detail.contains(reason))
        }
    }

    @Test func `An error's text can't forge a head or lines of a log`() async throws {
        let text = "no\r\nX-Forged: yes\r\n\r\n<b>\u{1B}[31m\u{0}\u{9B}\u{7F}\u{2028}\""
        let error = TransportError(.connectionFailed, message: text)
        try await World.run(automatic: { _ in .failure(error) }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == 502)
            #expect(answer["X-Forged"] == nil)
            #expect(answer.problem("detail")?.contains("no\\r\\nX-Forged: yes") == true)
            #expect(answer.body.utf8.allSatisfy { $0 >= 0x20 })
            let unknown = try site.get("/a%0D%0AX:%1B%9B/b")
            #expect(unknown.status == 404)
            #expect(unknown.body.utf8.allSatisfy { $0 >= 0x20 })
        }
    }
}
