import RestEngine
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var login: String
}

/// An API in the form of a program's declaration.
@EngineActor
private final class PeopleAPI {
    let service: Service

    init(_ fixture: EngineFixture) throws {
        service = fixture.service
        service.configure("**") { $0.headers.set("Accept", "application/json") }
        service.model(User.self, at: "users/*")
    }

    func user(_ login: String) -> Resource { service.resource("users").child(login) }
}

/// Code outside of the engine, which only uses `await`.
@Suite(.leakChecked)
struct IsolationTests {
    private func fixture() async throws -> EngineFixture {
        try await EngineActor.run {
            let fixture = EngineFixture()
            try fixture.stub("GET", "users/o", .json(200, #"{"login": "o"}"#))
            try fixture.stub("DELETE", "users/o", .json(403, #"{"why": "no"}"#))
            return fixture
        }
    }

    @Test @MainActor func `the main actor asks, reads events and handles errors`() async throws {
        let fixture = try await fixture()
        let api = try await PeopleAPI(fixture)
        let user = try await fixture.driving { try await api.user("o").get(as: User.self) }
        #expect(user == User(login: "o"))

        let resource = await api.user("o")
        let (isUpToDate, kind) = await (resource.isUpToDate, resource.latestData?.content.kind)
        #expect(isUpToDate && kind == "native")
        #expect(await resource.snapshot.typedContent() == user)
        var names: [String] = []
        for await update in await resource.events() {
            names.append(update.event.name)
            if update.event == .observerAdded { await resource.wipe() } else { break }
        }
        #expect(names == ["observer_added", "new_data(wipe)"])

        do {
            _ = try await fixture.driving { () throws(RequestError) in
                try await resource.request("DELETE").entity()
            }
            Issue.record("the request succeeded")
        } catch {
            #expect(error.httpStatusCode == 403 && error.json["why"]?.string == "no")
        }
    }

    @Test func `nonisolated code configures, asks and cancels`() async throws {
        let fixture = try await fixture()
        let service = await fixture.service
        await service.configure("users/*") { $0.expirationTime = .seconds(5) }
        await service.configureTransformer("users/*") { (content: Tree, _) in
            User(login: (content["login"]?.string ?? "") + "!")
        }
        let user = try await fixture.driving { try await service.resource("users/o").get(as: User.self) }
        #expect(user.login == "o!")
        let request = await service.resource("users/o").load()
        await request.cancel()
        #expect(await fixture.driving { await request.outcome() }.isCancellation)
    }
}

extension EngineFixture {
    /// Runs ticks while other code waits for the engine.
    nonisolated fileprivate func driving<Value, Failure: Error>(
        at location: SourceLocation = #_sourceLocation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let driver = Task { @EngineActor in
            while !Task.isCancelled {
                settle()
                await Task.yield()
            }
        }
        let timeout = TestTimeout.watch("an answer of the engine", at: location) {
            EngineLoop.shared.submit {
                for request in self.service.liveResources.flatMap(\.allRequests) { request.cancel() }
            }
        }
        defer {
            timeout.cancel()
            driver.cancel()
        }
        return try await body()
    }

    @Test @MainActor func `the content of a resource can be awaited anywhere`() async throws {
        let resource = await EngineActor.run { () -> Resource in
            let fixture = EngineFixture()
            let resource = fixture.service.resource("/a")
            resource.overrideLocalData(Entity(content: .json(["a": 1]), timestamp: 0))
            return resource
        }
        #expect(await resource.json == ["a": 1])
        #expect(await resource.text == "")
        #expect(await resource.typedContent(Tree.self) == ["a": 1])
    }
}
