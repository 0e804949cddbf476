import RestEngine
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    let login: String
}

/// Models at all places: resources, hooks and observers give the value.
@Suite(.leakChecked) @EngineActor
struct TypedContentOfResourcesTests {
    let fixture = EngineFixture()

    @Test func `17.4 a model is decoded once, and all get the value`() throws {
        fixture.service.model(User.self, at: "users/*")
        try fixture.stub("GET", "users/o", .json(200, #"{"login": "o"}"#))
        let resource = fixture.resource("users/o")
        #expect(try resource.content(as: User.self) == nil)
        var seen: [String] = []
        let owner = Owner()
        resource.addObserver(of: User.self, owner: owner) { _, event, user in
            seen.append("\(event.name) \(user?.login ?? "-")")
        }
        resource.load().onSuccess(as: User.self) { seen.append("hook \($0.login)") }
        fixture.settle()
        #expect(seen == ["observer_added -", "requested -", "new_data(network) o", "hook o"])
        #expect(try resource.content(as: User.self) == User(login: "o"))
        #expect(try resource.snapshot.content(as: User.self) == User(login: "o"))
        resource.removeObservers(ownedBy: owner)
    }

    private final class Owner {}

    @Test func `content that is something else is an error, which names the request`() throws {
        try fixture.stub("GET", "a", .json(200, "[1]"))
        let resource = fixture.resource("a")
        var outcomes: [String] = []
        resource.load()
            .onCompletion(as: [Int].self) { outcomes.append("\($0)") }
            .onCompletion(as: User.self) { if case .failure(let error) = $0 { outcomes.append("\(error)") } }
            .onSuccess(as: User.self) { _ in outcomes.append("called") }
        fixture.settle()
        #expect(
            outcomes == [
                "success([1])",
                "GET https://api.test/v1/a: Cannot parse server response: User: expected object, got array",
            ])
        #expect(fixture.log.contains { $0.category == .warning && $0.text.contains("is not called") })
        #expect(throws: RequestError.self) { try resource.content(as: User.self) }
    }

    @Test func `a failure goes to the hook for all outcomes`() throws {
        try fixture.stub("GET", "a", .response(404))
        var status: Int?
        fixture.resource("a").load().onCompletion(as: User.self) {
            if case .failure(let error) = $0 { status = error.httpStatusCode }
        }
        fixture.settle()
        #expect(status == 404)
    }
}
