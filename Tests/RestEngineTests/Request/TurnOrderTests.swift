import RestEngine
import TestSupport
import Testing

/// Section 30, turn by turn.
@Suite(.leakChecked) @EngineActor
struct TurnOrderTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func prepare() throws -> Resource {
        let journal = journal
        try fixture.configure { draft in
            draft.configuration.decorators.append { resource, request in
                journal.note("decorator")
                return request.onCompletion { [unowned resource] _ in
                    journal.note(
                        "decorator's hook: requesting \(resource.isRequesting), loading \(resource.isLoading)"
                    )
                }
            }
            draft.configuration.mutators.append { _ in journal.note("mutator") }
        }
        fixture.noteEvents(in: journal)
        return fixture.resource("a")
    }

    private func hook(_ request: Request, _ resource: Resource) {
        request.onProgress { [journal] in journal.note("progress \($0)") }
        request.onCompletion { [journal, unowned resource] _ in
            journal.note(
                "caller's hook: requesting \(resource.isRequesting), loading \(resource.isLoading), "
                    + "data \(resource.latestData?.content.text ?? "nil")")
        }
    }

    @Test func `30 load with success`() throws {
        let resource = try prepare()
        try fixture.stub("GET", "a", .text(200, "x"))
        let request = resource.load()
        #expect(journal.take() == ["mutator", "decorator", "a: requested"])
        #expect(fixture.transport.requests.count == 1)
        hook(request, resource)

        fixture.runTurn()
        #expect(request.state == .completed && request.progress == 1)
        #expect(resource.isLoading && resource.isRequesting && resource.latestData == nil)
        #expect(journal.take().isEmpty)

        fixture.runTurn()
        #expect(
            journal.take() == [
                "progress 1.0", "decorator's hook: requesting true, loading true", "a: new_data(network)",
                "caller's hook: requesting false, loading false, data x",
            ])
        #expect(!fixture.scheduler.hasWork)
    }

    @Test func `30 request: the same without the resource's state`() throws {
        let resource = try prepare()
        try fixture.stub("POST", "a", .text(200, "x"))
        hook(resource.request("POST"), resource)
        #expect(journal.take() == ["mutator", "decorator"])
        fixture.runTurn()
        #expect(journal.take().isEmpty)
        fixture.runTurn()
        #expect(
            journal.take() == [
                "progress 1.0", "decorator's hook: requesting true, loading false",
                "caller's hook: requesting false, loading false, data nil",
            ])
    }

    @Test func `30 cancel: state at once, hooks in the next turn`() throws {
        let resource = try prepare()
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = resource.load()
        hook(request, resource)
        _ = journal.take()
        request.cancel()
        #expect(request.state == .completed && request.progress == 1 && request.isCancelled)
        #expect(resource.isLoading && resource.isRequesting)
        #expect(journal.take().isEmpty)
        fixture.runTurn()
        #expect(
            journal.take() == [
                "progress 1.0", "decorator's hook: requesting true, loading true", "a: request_cancelled",
                "caller's hook: requesting false, loading false, data nil",
            ])
    }

    @Test func `30 a failed load tells error after the lists are empty`() throws {
        let resource = try prepare()
        try fixture.stub("GET", "a", .response(500))
        hook(resource.load(), resource)
        _ = journal.take()
        fixture.settle()
        #expect(
            journal.take() == [
                "progress 1.0", "decorator's hook: requesting true, loading true", "a: error",
                "caller's hook: requesting false, loading false, data nil",
            ])
    }
}
