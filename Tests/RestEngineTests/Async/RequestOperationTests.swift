import RestEngine
import TestSupport
import Testing

private struct Odd: Error {}

@Suite(.leakChecked) @EngineActor
struct RequestOperationTests {
    let fixture = EngineFixture()

    private func text(_ text: String) -> Entity { Entity(content: .text(text), timestamp: 0) }

    @Test func `11.1 11.2 runs when started, once, and gives its entity`() async {
        var runs = 0
        let request = Request(engine: fixture.engine) { [self] in
            runs += 1
            return text("\(runs)")
        }
        await Task.othersWait()
        #expect(runs == 0 && request.state == .notStarted && request.description == "custom request")
        let info = await fixture.finish(Task { await request.start().start().outcome() })
        #expect(info.response.entity?.text == "1" && info.isNew && runs == 1)
        let again = await fixture.finish(Task { await request.repeated().outcome() })
        #expect(again.response.entity?.text == "2")
    }

    @Test func `17.7 what it throws is the request's error`() async {
        let errors: [any Error] = [RequestError(userMessage: "mine", timestamp: 3), Odd()]
        var messages: [String] = []
        for error in errors {
            let request = Request(engine: fixture.engine) { throw error }
            let info = await fixture.finish(Task { await request.outcome() })
            messages.append(info.response.error?.description ?? "")
        }
        #expect(messages == ["mine", "Request failed: Odd()"])
    }

    @Test func `8.1 cancelling the request cancels the task, and ends what that waits for`() async throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let inner = fixture.resource("a").request("GET")
        let request = Request(engine: fixture.engine) { try await inner.entity() }.start()
        await Task.othersWait()
        request.cancel()
        await Task.othersWait()
        fixture.settle()
        #expect(request.isCancelled && inner.isCancelled)
    }

    @Test func `5.13 a resource may load by it`() async {
        let resource = fixture.resource("a")
        let request = Request(engine: fixture.engine, description: "by hand") { [self] in text("made") }
        let load = resource.load(using: request)
        #expect(resource.isLoading)
        _ = await fixture.finish(Task { await load.outcome() })
        #expect(resource.text == "made")
    }

    // MARK: Chains

    @Test func `10.2 a chain waits for its decision`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("GET", "b", .text(200, "y"))
        let other = fixture.resource("b")
        let chain = fixture.resource("a").request("GET").chained(awaiting: { info in
            let more = try await other.get().text
            let both = Entity(content: .text((info.response.entity?.text ?? "") + more), timestamp: 0)
            return .useResponse(ResponseInfo(.success(both)))
        })
        let info = await fixture.finish(Task { await chain.outcome() })
        #expect(info.response.entity?.text == "xy")
    }

    @Test func `10.2 an error thrown by its decision is the chain's error`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let chain = fixture.resource("a").request("GET").chained(awaiting: { _ in throw Odd() })
        let info = await fixture.finish(Task { await chain.outcome() })
        #expect(
            info.response.error?.url == "https://api.test/v1/a" && info.response.error?.code == "internal")
    }

    @Test func `10.6 a cancelled chain cancels its decision`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("GET", "b", isHeld: true, .text(200, "y"))
        let other = fixture.resource("b").request("GET")
        let chain = fixture.resource("a").request("GET").chained(awaiting: { _ in
            .passTo(try await self.echo(other))
        })
        fixture.settle()
        await Task.othersWait()
        chain.cancel()
        fixture.settle()
        await Task.othersWait()
        fixture.settle()
        #expect(chain.isCancelled && other.isCancelled)
    }

    private func echo(_ request: Request) async throws -> Request {
        _ = try await request.entity()
        return request
    }
}
