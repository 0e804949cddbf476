import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ChainTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func entity(_ text: String) -> Entity { Entity(content: .text(text), timestamp: 0) }

    private func substitute(_ text: String) -> ChainAction {
        .useResponse(ResponseInfo(.success(entity(text))))
    }

    private func request(_ path: String, isHeld: Bool = false, _ reply: StubReply) throws -> Request {
        try fixture.stub("GET", path, isHeld: isHeld, reply)
        return fixture.watch(fixture.resource(path).request("GET"))
    }

    @Test("10.1: the closure gets the outcome; the request's own hooks see it as it is")
    func outcome() throws {
        let request = journal.follow(try request("a", .response(404)), "own")
        let chain = request.chained { [journal] info in
            journal.note("decide \(info.response.error?.httpStatusCode ?? 0), new \(info.isNew)")
            return substitute("instead")
        }
        journal.follow(fixture.watch(chain), "chain")
        fixture.settle()
        #expect(
            journal.lines == [
                "own completion", "own failure Not found", "decide 404, new true", "chain completion",
                "chain success instead", "chain new_data",
            ])
    }

    @Test("10.2 7.10: use this response keeps it, and whether it is new")
    func useThis() throws {
        fixture.resource("a").overrideLocalContent(.text("old"))
        let chain = try request("a", .response(304)).chained { _ in .useThisResponse }
        journal.follow(chain)
        fixture.settle()
        #expect(journal.lines == ["completion", "success old", "not_modified"])
        #expect(chain.info?.isNew == false)
    }

    @Test("10.2: pass to another request, which is started, and take over its outcome")
    func pass() throws {
        let first = try request("a", .response(401))
        try fixture.stub("GET", "b", .text(200, "y"))
        let second = fixture.resource("b").request("GET").repeated()
        fixture.settle()
        fixture.transport.clear()
        try fixture.stub("GET", "b", .text(200, "y"))
        let chain = journal.follow(first.chained { _ in .passTo(second) })
        #expect(second.state == .notStarted)
        fixture.settle()
        #expect(second.state == .completed && fixture.transport.requests.count == 1)
        #expect(journal.lines == ["completion", "success y", "new_data"])
        #expect(chain.exchange?.status == 200)
    }

    @Test("10.2: a request that has ended long ago may be passed to")
    func passToCompleted() throws {
        let done = try request("a", .text(200, "done"))
        fixture.settle()
        let chain = try request("b", .response(500)).chained { _ in .passTo(done) }
        fixture.settle()
        #expect(chain.info?.response.entity?.content.text == "done")
    }

    @Test("10.3: the chain of a request that runs, or has ended, has started")
    func startedAlready() throws {
        let running = try request("a", isHeld: true, .text(200, "x"))
        #expect(running.chained { _ in .useThisResponse }.state == .inProgress)
        running.cancel()
        fixture.settle()
        let late = running.chained { _ in substitute("late") }
        #expect(late.state == .inProgress)
        fixture.settle()
        #expect(late.info?.response.entity?.content.text == "late")
    }

    @Test("10.3: the chain of a request that has not started has not; starting it starts the request")
    func startsWrapped() throws {
        let request = try request("a", .text(200, "x")).repeated()
        let chain = request.chained { _ in .useThisResponse }
        fixture.settle()
        #expect(chain.state == .notStarted && request.state == .notStarted)
        chain.start()
        #expect(chain.state == .inProgress && request.state == .inProgress)
        fixture.settle()
        #expect(chain.state == .completed)
    }

    @Test("10.4: the closure runs once for each chain")
    func once() throws {
        let request = try request("a", .text(200, "x"))
        var runs = 0
        let chain = request.chained { _ in
            runs += 1
            return .useThisResponse
        }
        fixture.settle()
        chain.start()
        chain.onCompletion { _ in }
        fixture.settle()
        #expect(runs == 1)
    }

    @Test("10.5 7.9: a chain is completed by its action alone, a tick before its hooks")
    func completed() throws {
        let request = try request("a", .text(200, "x"))
        let stub = try fixture.stub("GET", "b", isHeld: true, .text(200, "y"))
        let second = fixture.resource("b").request("GET")
        let chain = journal.follow(request.chained { _ in .passTo(second) })
        fixture.runTick()
        #expect(request.state == .completed && chain.state == .inProgress)
        fixture.settle()
        #expect(chain.state == .inProgress && chain.info == nil)
        stub.go()
        fixture.runTick()
        #expect(second.state == .completed && chain.state == .inProgress)
        fixture.runTick()
        #expect(chain.state == .completed && journal.lines.isEmpty)
        fixture.runTick()
        #expect(journal.lines.first == "completion")
    }

    @Test("10.5: a decision may take its time")
    func laterDecision() throws {
        var pending: ChainDecision?
        let chain = try request("a", .text(200, "x")).chained(deciding: { _, decision in pending = decision })
        fixture.settle()
        fixture.advance(60)
        #expect(chain.state == .inProgress && pending?.isAwaited == true)
        pending?.answer(substitute("decided"))
        #expect(chain.state == .completed && pending?.isAwaited == false)
        pending?.answer(substitute("again"))
        pending = nil
        fixture.settle()
        #expect(chain.info?.response.entity?.content.text == "decided")
        #expect(fixture.log.isEmpty)
    }

    @Test("a closure that throws fails the chain: with its error, or with its error as the cause")
    func throwing() throws {
        let request = try request("a", .text(200, "x"))
        let known = request.chained { _ in throw RequestError(userMessage: "Mine", timestamp: 1) }
        let script = request.chained { _ in
            throw RequestError.CauseError(
                .scriptError(RequestError.ScriptFailure(message: "boom", file: "a.lua", line: 3)))
        }
        fixture.settle()
        #expect(known.info?.response.error?.userMessage == "Mine")
        let error = try #require(script.info?.response.error)
        #expect(error.code == "script_error")
        #expect(error.description == "GET https://api.test/v1/a: Script error: a.lua:3: boom")
    }

    @Test("9.8: a repeat repeats the wrapped request and asks the same closure; outer chains are not rerun")
    func repeated() throws {
        try fixture.stub("GET", "a", .text(200, "1"))
        var inner = 0
        var outer = 0
        let chain = fixture.resource("a").request("GET").chained { _ in
            inner += 1
            return .useThisResponse
        }
        _ = chain.chained { _ in
            outer += 1
            return .useThisResponse
        }
        fixture.settle()
        try fixture.stub("GET", "a", .text(200, "2"))
        let again = chain.repeated()
        #expect(again.state == .notStarted && again !== chain)
        again.start()
        fixture.settle()
        #expect(inner == 2 && outer == 1)
        #expect(again.info?.response.entity?.content.text == "2")
        #expect(chain.info?.response.entity?.content.text == "1")
    }

    @Test("10.11: a substitute passes no pipeline")
    func pipeline() throws {
        let bytes = Entity(content: .bytes(Array("{}".utf8)), contentType: "application/json", timestamp: 0)
        let chain = try request("a", .json(200, "{}"))
            .chained { _ in .useResponse(ResponseInfo(.success(bytes), isNew: false)) }
        journal.follow(chain)
        fixture.settle()
        #expect(journal.lines == ["completion", "success bytes", "not_modified"])
    }

    @Test("10.12: a first attempt that is put off, by a chain of a custom request")
    func delayed() throws {
        final class Delay: CustomRequest {
            let scheduler: Scheduler
            init(_ scheduler: Scheduler) { self.scheduler = scheduler }
            func start(_ completion: RequestCompletion) {
                scheduler.after(5) {
                    completion.complete(.success(Entity(content: .text("waited"), timestamp: 0)))
                }
            }
        }
        let (engine, scheduler) = (fixture.engine, fixture.scheduler)
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.configure {
            $0.configuration.decorators.append { _, request in
                Request(engine: engine, custom: Delay(scheduler)).chained { _ in .passTo(request) }
            }
        }
        let resource = fixture.resource("a")
        let load = resource.load()
        #expect(load.state == .inProgress && resource.isLoading)
        fixture.advance(4)
        #expect(fixture.transport.requests.isEmpty)
        fixture.advance(1)
        #expect(resource.latestData?.content.text == "x")
    }

    @Test("chains in chains, and chains that pass on, end at a limit and not in a crash")
    func limits() throws {
        let request = try request("a", .response(500)).repeated()
        fixture.settle()
        var deep = request
        for _ in 0..<1000 { deep = deep.chained { _ in .useThisResponse } }
        #expect(deep.state == .notStarted)
        let tooDeep = deep.chained { _ in .useThisResponse }
        #expect(
            tooDeep.info?.response.error?.description == "Request failed: a chain of more than 1000 requests")
        #expect(deep.repeated().state == .notStarted)
        deep.start()
        #expect(deep.progress == 0)
        for _ in 0..<3000 { fixture.runTick() }
        #expect(deep.state == .completed)
        let cancelled = deep.repeated().start()
        cancelled.cancel()
        for _ in 0..<10 { fixture.runTick() }
        #expect(cancelled.isCancelled)

        var passes = 0
        func retry(_ request: Request) -> Request {
            request.chained { _ in
                passes += 1
                return .passTo(retry(request.repeated()))
            }
        }
        let endless = retry(request.repeated()).start()
        for _ in 0..<20_000 where endless.state != .completed { fixture.runTick() }
        fixture.settle()
        #expect(passes == 1001)
        #expect(
            endless.info?.response.error?.description.contains("passed on to another one 1000 times") == true)
    }

    @Test("the deepest chain there can be is cancelled, and let go of")
    func deepest() throws {
        let request = try request("a", .response(500)).repeated()
        try fixture.stub("GET", "b", isHeld: true, .text(200, "x"))
        var deep = fixture.watch(fixture.resource("b").request("GET")).repeated()
        fixture.resource("b").wipe()
        fixture.settle()
        for _ in 1..<1000 { deep = deep.chained { _ in .useThisResponse } }
        var left = 1000
        func retry(_ request: Request, _ last: Request) -> Request {
            request.chained { _ in
                left -= 1
                return .passTo(left == 0 ? last : retry(request.repeated(), last))
            }
        }
        let outer = fixture.watch(retry(request, deep)).start()
        for _ in 0..<20_000 where left > 0 { fixture.runTick() }
        for _ in 0..<10 { fixture.runTick() }
        #expect(fixture.transport.transfersInFlight == 1 && outer.progress == 0)
        outer.cancel()
        #expect(outer.isCancelled && deep.isCancelled && fixture.transport.transfersInFlight == 0)
        fixture.settle()
    }

    @Test("a chain that would wait for itself fails")
    func itself() throws {
        let request = try request("a", .text(200, "x"))
        final class Place { var request: Request? }
        let (first, second) = (Place(), Place())
        let one = request.chained { _ in second.request.map { .passTo($0) } ?? .useThisResponse }
        let two = request.chained { _ in first.request.map { .passTo($0) } ?? .useThisResponse }
        let own = Place()
        let itself = request.chained { _ in own.request.map { .passTo($0) } ?? .useThisResponse }
        (first.request, second.request, own.request) = (one, two, itself)
        fixture.settle()
        for place in [first, second, own] { place.request = nil }
        for failed in [one, two, itself] {
            #expect(failed.info?.response.error?.description == "Script error: a chain can't pass to itself")
        }
    }
}
