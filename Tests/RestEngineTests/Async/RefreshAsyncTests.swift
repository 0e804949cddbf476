import RestEngine
import TestSupport
import Testing

/// A refresh as a Swift function, as programs write it.
@Suite(.leakChecked) @EngineActor
struct RefreshAsyncTests {
    let fixture = EngineFixture()
    let gate = RefreshGate()
    let tokens = Tokens()

    @EngineActor
    final class Tokens {
        var token = "old"
        var logins = 0
    }

    init() throws {
        let (service, gate, tokens) = (fixture.service, gate, tokens)
        service.configure("**") { [weak service] configuration in
            configuration.headers.set("Authorization", tokens.token)
            configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) {
                    tokens.logins += 1
                    tokens.token = try await service?.resource("login").request("POST").entity().text ?? ""
                    service?.invalidateConfiguration()
                })
        }
        try fixture.transport.stub(method: nil, urlGlob: "**", base: service.baseURL) { request in
            request.headers["Authorization"] == "new" ? .text(200, "in") : .response(401)
        }
    }

    private func load(_ paths: String...) async -> [String] {
        let requests = paths.map { fixture.resource($0).load() }
        return await fixture.finish(
            Task {
                var outcomes: [String] = []
                for request in requests {
                    let response = await request.outcome().response
                    outcomes.append(response.error?.userMessage ?? response.entity?.text ?? "")
                }
                return outcomes
            })
    }

    @Test func `runs once for all that were refused together, and each is repeated`() async throws {
        try fixture.stub("POST", "login", .text(200, "new"))
        #expect(await load("a", "b", "c") == ["in", "in", "in"])
        #expect(tokens.logins == 1 && fixture.transport.requests.count == 7)
    }

    @Test func `what it throws is the error of all`() async throws {
        try fixture.stub("POST", "login", .text(503, "later"))
        #expect(await load("a", "b") == ["Service unavailable", "Service unavailable"])
        #expect(tokens.logins == 1)
    }

    @Test func `a login that is refused itself doesn't wait for the refresh that it is`() async {
        #expect(await load("a") == ["Unauthorized"])
        #expect(tokens.logins == 1 && fixture.engine.openRequests == 0)
    }

    @Test func `neither does what a child task of it asks for`() async throws {
        let service = fixture.service
        service.configure("**") { [weak service, gate] configuration in
            configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) {
                    guard let service else { return }
                    async let one = service.resource("x").get().text
                    async let two = service.resource("y").get().text
                    _ = try await (one, two)
                })
        }
        #expect(await load("a") == ["Unauthorized"])
        #expect(fixture.engine.openRequests == 0)
    }
}
