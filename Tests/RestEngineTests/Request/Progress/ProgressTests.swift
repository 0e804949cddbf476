import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ProgressTests {
    let fixture = EngineFixture()
    let journal = Journal()

    /// A request in flight, and the stub that holds its answer back.
    private func begin(_ method: Method = "GET") throws -> (request: Request, stub: StubTransport.Stub) {
        let stub = try fixture.stub(method, "a", isHeld: true, .text(200, "x"))
        return (fixture.watch(fixture.resource("a").request(method)), stub)
    }

    private func note(_ request: Request, _ name: String = "progress") {
        request.onProgress { [journal] in journal.note("\(name) \(($0 * 1000).rounded() / 1000)") }
    }

    private func received(_ bytes: Int64, of total: Int64 = 100) -> TransferProgress {
        var progress = TransferProgress()
        progress.bytesReceived = bytes
        progress.bytesToReceive = total
        return progress
    }

    private func settleFixture(_ stub: StubTransport.Stub) {
        stub.go()
        fixture.settle()
        #expect(!fixture.scheduler.hasWork)
    }

    @Test("12.2: the first report comes in the next tick, then one at each interval if there is news")
    func reports() throws {
        let (request, stub) = try begin()
        note(request)
        #expect(journal.take().isEmpty)
        fixture.runTick()
        #expect(journal.take() == ["progress 0.0"])
        stub.progress = received(50)
        fixture.settle()
        #expect(journal.take().isEmpty)
        fixture.advance(0.049)
        #expect(journal.take().isEmpty)
        fixture.advance(0.001)
        #expect(journal.take() == ["progress 0.313"])
        fixture.advance(0.05)
        #expect(journal.take().isEmpty)
        stub.progress = received(75)
        fixture.advance(0.05)
        #expect(journal.take() == ["progress 0.656"])
        settleFixture(stub)
        #expect(journal.take() == ["progress 1.0"])
    }

    @Test("12.2: the interval is the configured one", arguments: [0.5, 2])
    func interval(seconds: Double) throws {
        try fixture.configure { $0.configuration.progressSeconds = seconds }
        let (request, stub) = try begin()
        note(request)
        fixture.settle()
        _ = journal.take()
        fixture.advance(seconds * 0.9)
        #expect(journal.take().isEmpty)
        fixture.advance(seconds * 0.1)
        #expect(journal.take().count == 1)
        settleFixture(stub)
    }

    @Test(
        "12.2: an interval of nothing, or of for ever, ends neither the loop nor the reports",
        arguments: [0, .infinity])
    func extremes(seconds: Double) throws {
        try fixture.configure { $0.configuration.progressSeconds = seconds }
        let (request, stub) = try begin()
        note(request)
        fixture.settle()
        fixture.advance(1)
        #expect(journal.take().count == (seconds == 0 ? 2 : 1))
        settleFixture(stub)
        #expect(journal.take() == ["progress 1.0"])
    }

    @Test("12.3: the last report is 1, comes once, and precedes the completion hooks")
    func last() throws {
        let (request, stub) = try begin()
        request.onCompletion { [journal] _ in journal.note("completion") }
        note(request)
        fixture.settle()
        stub.progress = received(100)
        fixture.advance(0.05)
        stub.progress = received(200)
        fixture.advance(0.05)
        #expect(journal.take() == ["progress 0.0"])
        settleFixture(stub)
        #expect(journal.take() == ["progress 1.0", "completion"])
    }

    @Test("12.1: every request that has ended is at 1, and its hooks are notified", arguments: 0...4)
    func ends(number: Int) throws {
        let reply: [StubReply] = [
            .text(200, "x"), .response(500), .error(TransportError(.connectionFailed, message: "no")),
            .json(200, "{"), .text(200, "x"),
        ]
        try fixture.stub("GET", "a", reply[number])
        let request = fixture.resource("a").request("GET")
        note(request)
        if number == 4 { request.cancel() }
        fixture.settle()
        #expect(request.progress == 1 && journal.lines == ["progress 1.0"])
    }

    @Test("12.1: what failed before it was sent is at 1 too")
    func unsent() throws {
        let failed = fixture.resource("a").request("GET", RequestOptions(body: .json(.null)))
        #expect(failed.progress == 1)
        note(failed)
        fixture.settle()
        #expect(journal.lines == ["progress 1.0"])
    }

    @Test(
        "12.5: a hook on a running request waits for the next change, one on a completed request gets a single 1"
    )
    func late() throws {
        let (request, stub) = try begin()
        fixture.settle()
        stub.progress = received(50)
        fixture.advance(1)
        #expect(!fixture.scheduler.hasWork, "nobody listens, and there is a timer")
        note(request, "late")
        fixture.advance(1)
        #expect(journal.take().isEmpty)
        stub.progress = received(60)
        fixture.advance(0.05)
        #expect(journal.take() == ["late 0.45"])
        note(request, "later")
        fixture.advance(1)
        #expect(journal.take().isEmpty)
        settleFixture(stub)
        #expect(journal.take() == ["late 1.0", "later 1.0"])
        note(request, "after")
        fixture.settle()
        fixture.advance(1)
        #expect(journal.take() == ["after 1.0"])
    }

    @Test("12.4: read without hooks, progress follows the transfer and never goes back")
    func polled() throws {
        let (request, stub) = try begin("POST")
        #expect(request.progress == 0)
        fixture.clock.advance(by: 2.5)
        let connecting = request.progress
        #expect(abs(connecting - 0.225 / 1.7) < 1e-9)
        stub.progress.bytesSent = 5
        stub.progress.bytesToSend = 10
        let sending = request.progress
        #expect(sending > connecting)
        stub.progress = TransferProgress()
        #expect(request.progress == sending)
        request.cancel()
        #expect(request.progress == 1)
        fixture.settle()
    }

    @Test("a hook attached before the start hears from the first report on")
    func beforeStart() throws {
        let (request, stub) = try begin()
        let again = request.repeated()
        note(again)
        fixture.advance(1)
        #expect(journal.take().isEmpty && again.progress == 0)
        again.start()
        fixture.settle()
        #expect(journal.take() == ["progress 0.0"])
        settleFixture(stub)
    }

    @Test("a hook may cancel, and may attach another")
    func hooksAct() throws {
        let (request, stub) = try begin()
        request.onProgress { [journal, unowned request] fraction in
            journal.note("first \(fraction)")
            if fraction < 1 {
                note(request, "inner")
                request.cancel()
            }
        }
        fixture.settle()
        #expect(journal.take() == ["first 0.0", "first 1.0", "inner 1.0"])
        settleFixture(stub)
    }

    @Test("12.14: work that ends inside of its start leaves progress at 1 and no timer behind")
    func immediate() {
        final class Immediate: CustomRequest {
            func start(_ completion: RequestCompletion) {
                completion.complete(.success(Entity(content: .text("x"), timestamp: 0)))
            }
            var progress: Double { 0.5 }
        }
        let request = Request(engine: fixture.engine, custom: Immediate())
        note(request)
        request.start()
        #expect(request.progress == 1)
        fixture.settle()
        #expect(request.progress == 1 && journal.lines == ["progress 1.0"])
        #expect(!fixture.scheduler.hasWork)
    }

    @Test("12.4: a redirect begins anew in what is left")
    func redirect() throws {
        try fixture.stub(
            "GET", "a", .response(302, headers: Headers([("Location", "b")]), delay: .seconds(1)))
        let stub = try fixture.stub("GET", "b", isHeld: true, .text(200, "x"))
        let request = fixture.resource("a").request("GET")
        fixture.clock.advance(by: 0.9)
        let before = request.progress
        #expect(before > 0)
        fixture.advance(0.1)
        let after = request.progress
        #expect(after >= before && after < 0.2)
        fixture.clock.advance(by: 2.5)
        #expect(request.progress > after && request.progress < 1)
        settleFixture(stub)
    }
}
