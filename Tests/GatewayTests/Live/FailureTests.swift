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
        (.malformedJSON(offset: 1, message: "m"), 502), (.jsonNotObjectOrArray(actual: "number"), 502),
        (.undecodableText(encoding: "utf-8"), 502), (.unparsableImage, 502), (.noLocalDataFor304, 502),
        (.tooManyRedirects(limit: 20), 502), (.requestCancelled, 503),
    ])
    func `A failure inside the host has a status`(_ cause: RequestError.Cause, status: Int) {
        let path = ResourcePath(service: "s", path: "", query: nil)
        let problem = Problem(RequestError(cause: cause, timestamp: 0), reading: path)
        #expect(problem.status == status)
        #expect(problem.code == cause.code)
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
            }
            await world.add("bare", nil)
            #expect(try site.get("/bare/a").problem("code") == "no_base_url")
        }
    }

    @Test(arguments: [
        "/github/../x", "/github/a/..%2Fb", "/github/%2e%2E/x", "/github/%252e%252e/x",
        "/github//evil.example/x",
        "/github/http://evil.example", "/github/https:%2F%2Fevil.example", "/github/a%5C..", "/github/a%00b",
        "/github/a%0D%0Ab", "/github/..;x/a",
    ])
    func `A path that could leave the base URL is refused`(_ target: String) async throws {
        try await World.run { world, site in
            let answer = try site.get(target)
            #expect(answer.status == 400)
            #expect(answer.problem("code") == "bad_path")
            #expect(await world.transport.requests.isEmpty)
        }
    }
}
