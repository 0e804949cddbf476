import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RequestHookTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func load(_ reply: StubReply) throws -> Request {
        try fixture.stub("GET", "a", reply)
        return fixture.watch(fixture.resource("a").load())
    }

    @Test func `7.1 7.9 the state is completed a tick before the hooks run`() throws {
        let request = journal.follow(try load(.text(200, "x")))
        #expect(request.state == .inProgress && request.info == nil && request.progress == 0)
        fixture.runTick()
        #expect(request.state == .completed && request.info != nil && request.progress == 1)
        #expect(journal.lines.isEmpty)
        fixture.runTick()
        #expect(journal.lines == ["completion", "success x", "new_data"])
    }

    @Test func `7.4 hooks of a success`() throws {
        journal.follow(try load(.text(200, "x")))
        fixture.settle()
        #expect(journal.lines == ["completion", "success x", "new_data"])
    }

    @Test func `7.4 7.10 hooks of a 304`() throws {
        fixture.resource("a").overrideLocalContent(.text("old"))
        let request = try load(.response(304))
        journal.follow(request)
        fixture.settle()
        #expect(journal.lines == ["completion", "success old", "not_modified"])
        #expect(request.info?.isNew == false)
    }

    @Test func `7.4 hooks of a failure`() throws {
        journal.follow(try load(.response(404)))
        fixture.settle()
        #expect(journal.lines == ["completion", "failure Not found"])
    }

    @Test func `7.4 7.11 hooks of a cancellation`() throws {
        let request = journal.follow(try load(.response(404)))
        request.cancel()
        fixture.settle()
        #expect(journal.lines == ["cancellation", "failure Request cancelled"])
        #expect(request.info?.isCancellation == true)
    }

    @Test func `7.5 7.12 each hook runs once`() throws {
        let request = try load(.text(200, "x"))
        var count = 0
        request.onCompletion { _ in count += 1 }
        fixture.settle()
        request.start()
        request.cancel()
        fixture.settle()
        #expect(count == 1)
    }

    private final class HeldWork: CustomRequest {
        var completion: RequestCompletion?
        func start(_ completion: RequestCompletion) { self.completion = completion }
    }

    @Test func `7.7 7.8 many hooks run in parts, in the order of attaching`() {
        let scheduler = Scheduler(clock: HastyClock())
        let engine = Engine(transport: StubTransport(scheduler: scheduler), scheduler: scheduler)
        let work = HeldWork()
        let request = Request(engine: engine, custom: work).start()
        var order: [Int] = []
        for number in 0..<40 {
            request.onCompletion { [weak request] _ in
                order.append(number)
                if number % 20 == 0 { request?.onCompletion { _ in order.append(100 + number) } }
            }
        }
        work.completion?.complete(.failure(RequestError(userMessage: "over", timestamp: 0)))
        var most = 0
        for _ in 0..<1000 where order.count < 42 {
            let before = order.count
            scheduler.runTick()
            most = max(most, order.count - before)
        }
        #expect((1..<30).contains(most), "\(most)")
        #expect(order == Array(0..<40) + [100, 120])
    }

    @Test func `7.8 hooks run in the order of attaching`() throws {
        let request = try load(.text(200, "x"))
        for name in ["a", "b"] {
            request.onSuccess { [journal] _ in journal.note("success \(name)") }
            request.onCompletion { [journal] _ in journal.note("completion \(name)") }
        }
        fixture.settle()
        #expect(journal.lines == ["success a", "completion a", "success b", "completion b"])
    }

    @Test func `7.6 7.7 late hooks run in a later tick, in order`() throws {
        let request = try load(.text(200, "x"))
        fixture.settle()
        journal.follow(request, "1")
        journal.follow(request, "2")
        #expect(journal.lines.isEmpty)
        fixture.runTick()
        #expect(
            journal.lines == [
                "1 completion", "1 success x", "1 new_data", "2 completion", "2 success x", "2 new_data",
            ])
    }

    @Test func `7.7 a hook attached by a hook runs a tick later`() throws {
        let request = try load(.text(200, "x"))
        request.onCompletion { [journal, unowned request] _ in
            journal.note("first")
            request.onCompletion { _ in journal.note("inner") }
        }
        request.onCompletion { [journal] _ in journal.note("second") }
        fixture.runTick()
        fixture.runTick()
        #expect(journal.lines == ["first", "second"])
        fixture.runTick()
        #expect(journal.lines == ["first", "second", "inner"])
    }

    @Test func `7.7 a hook attached between outcome and hooks runs with the others`() throws {
        let request = journal.follow(try load(.text(200, "x")), "early")
        fixture.runTick()
        journal.follow(request, "late")
        fixture.runTick()
        #expect(journal.lines.last == "late new_data")
        fixture.settle()
        #expect(journal.lines.count == 6)
    }

    @Test func `12.3 12.5 a late progress hook gets a single 1`() throws {
        let request = try load(.text(200, "x"))
        request.onProgress { [journal] in journal.note("early \($0)") }
        request.onCompletion { [journal] _ in journal.note("completion") }
        fixture.settle()
        request.onProgress { [journal] in journal.note("late \($0)") }
        #expect(journal.lines.last == "completion")
        fixture.settle()
        #expect(journal.lines.suffix(3) == ["early 1.0", "completion", "late 1.0"])
    }

    @Test func `7.2 start is idempotent`() throws {
        let request = try load(.text(200, "x"))
        #expect(request.start() === request)
        fixture.settle()
        request.start()
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `7.14 hooks see a response that the resource ignores`() throws {
        try fixture.stub("POST", "a", .text(200, "y"))
        journal.follow(fixture.resource("a").request("POST"))
        fixture.settle()
        #expect(journal.lines == ["completion", "success y", "new_data"])
        #expect(fixture.resource("a").latestData == nil)
    }
}
