import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ChainCancelTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func held(_ path: String) throws -> Request {
        try fixture.stub("GET", path, isHeld: true, .text(200, path))
        return fixture.watch(fixture.resource(path).request("GET"))
    }

    @Test("10.6 8.11: cancelling the chain cancels what it waits for, and the closure never runs")
    func waiting() throws {
        let request = journal.follow(try held("a"), "own")
        let chain = journal.follow(
            request.chained { _ in
                Issue.record("asked")
                return .useThisResponse
            }, "chain")
        chain.cancel()
        #expect(chain.state == .completed && chain.isCancelled && request.isCancelled)
        #expect(fixture.transport.transfersInFlight == 0)
        fixture.settle()
        #expect(
            journal.lines == [
                "own cancellation", "own failure Request cancelled", "chain cancellation",
                "chain failure Request cancelled",
            ])
    }

    @Test(
        "10.7: cancelling only the wrapped request gives the closure the cancellation, which it may replace")
    func wrapped() throws {
        let request = try held("a")
        let chain = request.chained { info in
            #expect(info.isCancellation)
            return .useResponse(ResponseInfo(.success(Entity(content: .text("instead"), timestamp: 0))))
        }
        journal.follow(chain)
        request.cancel()
        fixture.settle()
        #expect(journal.lines == ["completion", "success instead", "new_data"])
    }

    @Test("10.8 D6: after a pass, cancelling the chain cancels the request passed to")
    func passed() throws {
        try fixture.stub("GET", "a", .response(401))
        let second = try held("b")
        let chain = fixture.resource("a").request("GET").chained { _ in .passTo(second) }
        fixture.settle()
        #expect(fixture.transport.transfersInFlight == 1)
        chain.cancel()
        #expect(second.isCancelled && fixture.transport.transfersInFlight == 0)
        fixture.settle()
        #expect(chain.isCancelled)
    }

    @Test("10.8 D6: the same through chains that passed to chains")
    func passedDeeply() throws {
        try fixture.stub("GET", "a", .response(401))
        let last = try held("b")
        let resource = fixture.resource("a")
        let middle = resource.request("GET").chained { _ in .passTo(last) }
        let chain = resource.request("GET").chained { _ in .passTo(middle) }
        fixture.settle()
        chain.cancel()
        #expect(last.isCancelled && middle.isCancelled)
        fixture.settle()
    }

    @Test("a chain that is cancelled while it decides starts nothing more")
    func deciding() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var pending: ChainDecision?
        let request = fixture.resource("a").request("GET")
        let chain = request.chained(deciding: { _, decision in pending = decision })
        fixture.settle()
        chain.cancel()
        #expect(chain.isCancelled && pending?.isAwaited == false)
        let next = request.repeated()
        pending?.answer(.passTo(next))
        pending = nil
        fixture.settle()
        #expect(next.state == .notStarted && fixture.transport.requests.count == 1)
    }

    @Test("8.3: cancelled before its start, neither the chain nor its request starts any more")
    func beforeStart() throws {
        let request = try held("a").repeated()
        let chain = request.chained { _ in .useThisResponse }
        chain.cancel()
        #expect(request.isCancelled)
        chain.start()
        request.start()
        fixture.resource("a").wipe()
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("10.9: a hook of the chain runs however the chain ends")
    func cleanUp() throws {
        var ends = 0
        let chain = try held("a").chained { _ in .useThisResponse }.onCompletion { _ in ends += 1 }
        chain.cancel()
        fixture.settle()
        #expect(ends == 1)
    }

    @Test("10.10 D7: a chain shows its current request's progress, and never goes back")
    func progress() throws {
        let first = try fixture.stub("GET", "a", isHeld: true, .response(401))
        let second = try fixture.stub("GET", "b", isHeld: true, .text(200, "x"))
        let other = fixture.resource("b").request("GET").repeated()
        fixture.resource("b").wipe()
        fixture.settle()
        let chain = fixture.resource("a").request("GET").chained { _ in .passTo(other) }
        var reports: [Double] = []
        chain.onProgress { reports.append($0) }
        fixture.settle()
        first.progress.bytesReceived = 50
        first.progress.bytesToReceive = 100
        fixture.advance(0.05)
        let before = chain.progress
        #expect(before == 0.3125 && reports == [0, 0.3125])
        first.go()
        fixture.settle()
        fixture.advance(0.05)
        #expect(chain.progress == before && chain.state == .inProgress)
        second.progress.bytesReceived = 90
        second.progress.bytesToReceive = 100
        fixture.advance(0.05)
        #expect(chain.progress > before && chain.progress < 1)
        second.go()
        fixture.settle()
        #expect(reports.last == 1 && reports.sorted() == reports && Set(reports).count == reports.count)
        #expect(!fixture.scheduler.hasWork)
    }
}
