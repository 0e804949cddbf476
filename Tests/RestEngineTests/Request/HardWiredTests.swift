import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct HardWiredTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func success() -> Request {
        fixture.watch(
            Request(engine: fixture.engine, outcome: .success(Entity(content: .text("x"), timestamp: 0))))
    }

    @Test(
        "11.5: it is completed from the start; each hook runs in the next turn, with the outcome as new data")
    func hooks() {
        let request = success()
        #expect(request.state == .completed && request.progress == 1)
        journal.follow(request, "1")
        request.onProgress { [journal] in journal.note("progress \($0)") }
        journal.follow(request, "2")
        #expect(journal.lines.isEmpty)
        fixture.runTick()
        #expect(
            journal.lines == [
                "1 completion", "1 success x", "1 new_data", "progress 1.0", "2 completion", "2 success x",
                "2 new_data",
            ])
        fixture.settle()
        #expect(journal.lines.count == 7 && !fixture.scheduler.hasWork)
    }

    @Test("8.4 11.5 11.6: start and cancel do nothing to it")
    func unchanged() {
        let failed = Request(
            engine: fixture.engine, failedWith: RequestError(userMessage: "no", timestamp: 0))
        failed.start()
        failed.cancel()
        #expect(!failed.isCancelled && failed.info?.response.error?.userMessage == "no")
        journal.follow(failed)
        fixture.settle()
        #expect(journal.lines == ["completion", "failure no"])
        #expect(fixture.engine.openRequests == 0)
    }

    @Test("9.9: its repeat is itself")
    func repeated() {
        let request = success()
        #expect(request.repeated() === request)
    }

    @Test("5.15: a load of it is over a tick later")
    func load() {
        fixture.noteEvents(in: journal)
        let resource = fixture.resource("a")
        resource.load(using: success())
        #expect(resource.isLoading && resource.latestData == nil)
        fixture.runTick()
        #expect(!resource.isLoading && resource.latestData?.content.text == "x")
        #expect(journal.lines == ["a: requested", "a: new_data(network)"])
    }

    @Test("15.6: a decorator may answer by itself; nothing is sent")
    func decorated() throws {
        let engine = fixture.engine
        try fixture.configure {
            $0.configuration.decorators.append { _, _ in
                Request(engine: engine, outcome: .success(Entity(content: .text("own"), timestamp: 0)))
            }
        }
        let resource = fixture.resource("a")
        let request = resource.load()
        #expect(resource.allRequests.first === request && resource.isRequesting)
        fixture.settle()
        #expect(resource.latestData?.content.text == "own" && !resource.isRequesting)
        #expect(fixture.transport.requests.isEmpty)
    }
}
