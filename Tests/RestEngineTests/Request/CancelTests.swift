import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct CancelTests {
    let fixture = EngineFixture()
    let journal = Journal()

    @Test func `8.1 cancel in flight stops the transfer`() throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        #expect(fixture.transport.transfersInFlight == 1)
        request.cancel()
        #expect(fixture.transport.transfersInFlight == 0)
        #expect(request.isCancelled && request.progress == 1)
        #expect(request.info?.response.error?.userMessage == "Request cancelled")
        fixture.settle()
    }

    @Test func `8.2 cancel after completion has no effect`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let request = journal.follow(fixture.resource("a").request("GET"))
        fixture.runTick()
        request.cancel()
        fixture.settle()
        request.cancel()
        fixture.settle()
        #expect(!request.isCancelled)
        #expect(journal.lines == ["completion", "success x", "new_data"])
    }

    @Test func `8.3 cancelled before start, a request never starts`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let first = fixture.resource("a").request("GET")
        fixture.settle()
        let again = first.repeated()
        again.cancel()
        #expect(again.state == .completed && again.isCancelled)
        journal.follow(again)
        again.start()
        fixture.settle()
        #expect(journal.lines == ["cancellation", "failure Request cancelled"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `8.4 a request that failed in the client stays so`() {
        let request = fixture.resource("a").request("no method")
        request.cancel()
        #expect(!request.isCancelled)
        #expect(request.info?.response.error?.code == "invalid_request_method")
    }

    /// A transport that answers when the test says so, even after a cancellation.
    private final class Careless: Transport, Transfer {
        var completion: (@EngineActor (TransportResult) -> Void)?
        let progress = TransferProgress()
        func send(
            _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
        ) -> any Transfer {
            self.completion = completion
            return self
        }
        func cancel() {}
        func answer() { completion?(.success(TransportResponse(status: 200))) }
    }

    /// A transformer that runs an action in the middle of the pipeline.
    private struct Meddler: Transformer {
        let description = "meddler"
        let act: @EngineActor @Sendable () -> Void
        func process(_ response: Response, _ context: PipelineContext) -> Response {
            act()
            return response
        }
    }

    @Test(
        "8.5 7.12: an answer after the end reaches neither pipeline nor hooks nor state",
        arguments: [true, false])
    func carelessTransport(isCancelled: Bool) throws {
        let transport = Careless()
        let engine = Engine(transport: transport, scheduler: fixture.scheduler)
        engine.log.enabled = [.networkDetails]
        engine.log.handler = { [journal] in if !$1.hasPrefix("start") { journal.note("\($0): \($1)") } }
        let service = Service(engine: engine, name: "api", baseURL: try? BaseURL("https://api.test/"))
        service.configure(
            ConfigurationEntry(pattern: .all, description: "meddler") { [journal] draft in
                draft.configuration.pipeline["model"].add(Meddler { journal.note("pipeline") })
            })
        let resource = service.resource("a")
        let request = journal.follow(resource.load())
        if isCancelled { request.cancel() } else { transport.answer() }
        fixture.settle()
        let data = resource.latestData
        _ = journal.take()
        transport.answer()
        transport.answer()
        fixture.settle()
        let text = "GET https://api.test/a"
        #expect(
            journal.take()
                == (isCancelled
                    ? [
                        "networkDetails: answer after cancel: \(text)",
                        "networkDetails: answer after cancel: \(text)",
                    ]
                    : ["warning: second outcome ignored: \(text)"]))
        #expect((resource.latestData == nil) == (data == nil) && resource.latestError == nil)
        transport.completion = nil
        service.flushUnusedResources()
    }

    @Test(
        "8.6: cancelled by a transformer, the only place from which a synchronous pipeline can be, it stays cancelled"
    )
    func cancelInPipeline() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let journal = journal
        try fixture.configure { [unowned resource] draft in
            draft.configuration.pipeline["raw_data"].add(
                Meddler { [unowned resource] in resource.loadRequests.first?.cancel() })
            draft.configuration.pipeline["cleanup"].add(Meddler { journal.note("the pipeline went on") })
        }
        journal.follow(resource.load())
        fixture.settle()
        #expect(journal.lines == ["the pipeline went on", "cancellation", "failure Request cancelled"])
        #expect(resource.latestData == nil && resource.latestError == nil && !resource.isLoading)
    }

    @Test func `8.7 8.8 a cancelled load changes nothing and is no error`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        fixture.advance(5)
        fixture.noteEvents(in: journal)
        resource.load().cancel()
        fixture.settle()
        #expect(journal.lines == ["a: requested", "a: request_cancelled"])
        #expect(resource.latestData?.content.text == "x" && resource.latestError == nil)
        #expect(resource.timestamp == 1_000_000 && !resource.isLoading)
    }

    @Test func `8.9 a transport's own error is an ordinary failure`() throws {
        try fixture.stub("GET", "a", .error(TransportError(.connectionFailed, message: "Connection aborted")))
        let resource = fixture.resource("a")
        let request = resource.load()
        fixture.settle()
        #expect(!request.isCancelled)
        #expect(resource.latestError?.userMessage == "Connection aborted")
    }

    @Test func `8.12 20.10 one of two loads cancelled leaves the other`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let (first, second) = (resource.load(), resource.load())
        second.cancel()
        #expect(resource.loadIfNeeded() === first)
        fixture.settle()
        #expect(resource.latestData?.content.text == "x")
    }
}
