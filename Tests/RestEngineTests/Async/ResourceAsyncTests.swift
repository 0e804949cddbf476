import RestEngine
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var login: String
}

@Suite(.leakChecked) @EngineActor
struct ResourceAsyncTests {
    let fixture = EngineFixture()

    private func text(_ resource: Resource) -> Task<Result<String, RequestError>, Never> {
        Task {
            do throws(RequestError) { return .success(try await resource.get().text) } catch {
                return .failure(error)
            }
        }
    }

    private func code(_ result: Result<String, RequestError>) -> String? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `get loads, and gives fresh data without asking again`() async throws {
        let stub = try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        #expect(try await fixture.finish(text(resource)).get() == "x")
        // No ticks run here, so the answer must come at once.
        #expect(try await resource.get().text == "x")
        #expect(stub.requests.count == 1)
        fixture.advance(31)
        #expect(try await fixture.finish(text(resource)).get() == "x")
        #expect(stub.requests.count == 2)
    }

    @Test func `get joins the load in flight`() async throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        resource.load()
        let tasks = (0..<3).map { _ in text(resource) }
        await Task.othersWait()
        stub.go()
        for task in tasks { #expect(try await fixture.finish(task).get() == "x") }
        #expect(stub.requests.count == 1)
    }

    @Test func `get throws the error of the load, and again inside the retry time`() async throws {
        let stub = try fixture.stub("GET", "a", .text(500, "x"))
        for _ in 0..<2 {
            #expect(code(await fixture.finish(text(fixture.resource("a")))) == "http_5xx")
        }
        #expect(stub.requests.count == 1)
    }

    @Test func `cancelling the task ends the wait, and the load goes on`() async throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        let (first, second) = (text(resource), text(resource))
        await Task.othersWait()
        first.cancel()
        guard case .failure(let error) = await fixture.finish(first) else {
            Issue.record("not cancelled")
            return
        }
        #expect(error.code == "request_cancelled" && error.url == "https://api.test/v1/a")
        #expect(resource.isLoading)
        stub.go()
        #expect(try await fixture.finish(second).get() == "x")
        #expect(stub.requests.count == 1)
    }

    @Test func `a task that is cancelled already loads nothing`() async {
        let task = text(fixture.resource("a"))
        task.cancel()
        #expect(code(await fixture.finish(task)) == "request_cancelled")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `get(as:) decodes, and names the request when the content is wrong`() async throws {
        try fixture.stub("GET", "a", .json(200, #"{"login": "o"}"#))
        try fixture.stub("GET", "b", .json(200, #"{"login": 7}"#))
        let (good, bad) = (fixture.resource("a"), fixture.resource("b"))
        #expect(await fixture.run { try? await good.get(as: User.self) } == User(login: "o"))
        let description = await fixture.run {
            do throws(RequestError) {
                _ = try await bad.get(as: User.self)
                return ""
            } catch { return error.description }
        }
        #expect(
            description
                == "GET https://api.test/v1/b: Cannot parse server response: login: expected string, got number"
        )
    }

    @Test func `get(as:) gives a model as it is`() async throws {
        final class Model: Decodable, Sendable {
            let login: String
        }
        try fixture.stub("GET", "a", .json(200, #"{"login": "o"}"#))
        fixture.service.model(Model.self, at: "a")
        let resource = fixture.resource("a")
        let models = await fixture.run {
            [try? await resource.get(as: Model.self), try? await resource.get(as: Model.self)]
        }
        #expect(models[0]?.login == "o" && models[0] === models[1])
    }

    @Test func `one look sees data, error and loading together`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        #expect(resource.snapshot.latestData == nil && !resource.snapshot.isLoading)
        resource.load()
        #expect(resource.snapshot.isLoading && resource.snapshot.isRequesting)
        fixture.settle()
        let snapshot = resource.snapshot
        resource.wipe()
        #expect(snapshot.text == "x" && snapshot.latestError == nil && !snapshot.isLoading)
    }
}
