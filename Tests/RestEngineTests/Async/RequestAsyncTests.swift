import RestEngine
import TestSupport
import Testing

private struct User: Decodable, Sendable, Equatable {
    var login: String
}

@Suite(.leakChecked) @EngineActor
struct RequestAsyncTests {
    let fixture = EngineFixture()

    private func outcome(_ request: Request) -> Task<Result<Entity, RequestError>, Never> {
        Task {
            do throws(RequestError) { return .success(try await request.entity()) } catch {
                return .failure(error)
            }
        }
    }

    @Test func `an entity, or the request's error`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("GET", "b", .text(404, "nope"))
        let (good, bad) = (fixture.resource("a").load(), fixture.resource("b").load())
        #expect(try await fixture.finish(outcome(good)).get().text == "x")
        let error = await fixture.finish(outcome(bad)).error
        #expect(error?.httpStatusCode == 404 && error?.text == "nope")
    }

    @Test func `30 a waiting caller finds the state set and the observers notified`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let journal = Journal()
        let owner = Owner()
        resource.addObserver(owner: owner) { _, event in journal.note(event.name) }
        let request = resource.load()
        let task = Task {
            _ = await request.outcome()
            journal.note("waited \(resource.text) \(resource.isLoading)")
        }
        await fixture.finish(task)
        #expect(journal.lines == ["observer_added", "requested", "new_data(network)", "waited x false"])
    }

    @Test func `several wait for one request, and late ones too`() async throws {
        let stub = try fixture.stub("GET", "a", .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        let tasks = (0..<3).map { _ in outcome(request) }
        for task in tasks { #expect(try await fixture.finish(task).get().text == "x") }
        #expect(try await fixture.finish(outcome(request)).get().text == "x")
        #expect(stub.requests.count == 1)
    }

    @Test func `7.2 a request that has not started is started`() async throws {
        let stub = try fixture.stub("GET", "a", .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        fixture.settle()
        #expect(try await fixture.finish(outcome(request.repeated())).get().text == "x")
        #expect(stub.requests.count == 2)
    }

    @Test func `content is decoded`() async throws {
        try fixture.stub("POST", "a", .json(200, #"{"login": "o"}"#))
        let request = fixture.resource("a").request("POST", json: ["a": [1]])
        let user = await fixture.run { try? await request.content(as: User.self) }
        #expect(user == User(login: "o"))
        #expect(fixture.transport.requests.first?.body == Array(#"{"a":[1]}"#.utf8))
        #expect(fixture.transport.requests.first?.headers["Content-Type"] == "application/json")
    }

    private struct Unencodable: Encodable {
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    @Test func `6.5 a value that has no form in JSON fails the request, and nothing is sent`() throws {
        for request in [
            fixture.resource("a").request("POST", json: UInt64.max),
            fixture.resource("a").request("POST", json: "text"),
            fixture.resource("a").request("POST", json: [Double.nan]),
        ] {
            #expect(request.state == .completed)
            let error = try #require(request.info?.response.error)
            #expect(error.code == "invalid_json_object" && error.userMessage == "Cannot send request")
        }
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty)
        #expect(throws: CodingError.self) { try RequestBody.json(encoding: Unencodable()) }
    }

    // MARK: Cancelling

    @Test func `cancelling the task cancels the request, and ends the wait`() async throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        let task = outcome(request)
        await Task.othersWait()
        task.cancel()
        let error = await fixture.finish(task).error
        #expect(error?.code == "request_cancelled")
        #expect(request.isCancelled && fixture.transport.transfersInFlight == 0)
    }

    @Test func `8.3 a task that was cancelled before it waits cancels too`() async throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        let task = outcome(request)
        task.cancel()
        #expect(await fixture.finish(task).error?.code == "request_cancelled")
        #expect(request.isCancelled)
    }

    @Test func `another task that waits for the request keeps it`() async throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        let (first, second) = (outcome(request), outcome(request))
        await Task.othersWait()
        first.cancel()
        #expect(await fixture.finish(first).error?.code == "request_cancelled")
        #expect(request.state == .inProgress)
        stub.go()
        #expect(try await fixture.finish(second).get().text == "x")
    }

    @Test func `a load goes on, because its outcome is everybody's`() async throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        let request = resource.load()
        let task = outcome(request)
        await Task.othersWait()
        task.cancel()
        #expect(await fixture.finish(task).error?.code == "request_cancelled")
        #expect(request.state == .inProgress && resource.isLoading)
        stub.go()
        fixture.settle()
        #expect(resource.text == "x")
    }

    @Test func `8.2 a request that has ended gives its outcome to a task that is cancelled`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        fixture.settle()
        let task = outcome(request)
        task.cancel()
        #expect(try await fixture.finish(task).get().text == "x")
    }

    @Test func `cancelling the request ends all waits`() async throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").load()
        let tasks = [outcome(request), outcome(request)]
        await Task.othersWait()
        request.cancel()
        for task in tasks { #expect(await fixture.finish(task).error?.code == "request_cancelled") }
    }

    @Test func `12.3 progress ends with 1`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let request = fixture.resource("a").load()
        let updates = request.progressUpdates
        let last = await fixture.run { await updates.reduce(0) { $1 } }
        #expect(last == 1)
        let late = request.progressUpdates
        #expect(await fixture.run { await late.reduce(into: []) { $0.append($1) } } == [1])
    }
}

extension Task where Success == Never, Failure == Never {
    /// The loop runs tasks in their order. When this one goes on, tasks that were made before are suspended.
    static func othersWait() async { await yield() }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
