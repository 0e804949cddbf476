import CurlTransport
import RestClient
import RestLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import TestSupport
import Testing

/// Runs the service in a task, which the trigger shuts down gracefully.
@concurrent
func begin(_ service: EngineLifecycle) async -> (GracefulShutdownTestTrigger, Task<Void, any Error>) {
    await testGracefulShutdown { trigger in (trigger, Task { try await service.run() }) }
}

/// An engine that is shut down with its program.
@Suite @EngineActor
struct LifecycleTests {
    let fixture = EngineFixture()

    /// Runs the service until `body` has triggered its end, and gives the error of the run.
    private func running(
        grace: Duration = .seconds(20),
        _ body: (GracefulShutdownTestTrigger, Task<Void, any Error>) async throws -> Void
    ) async throws -> (any Error)? {
        let (trigger, task) = await begin(EngineLifecycle(fixture.engine, grace: grace))
        try await body(trigger, task)
        let isOver = Flag()
        Task {
            _ = await task.result
            isOver.isSet = true
        }
        await yielding(until: "the run ends") {
            fixture.settle()
            return isOver.isSet
        }
        do { try await task.value } catch { return error }
        return nil
    }

    private final class Flag { var isSet = false }

    private func isDraining() async {
        await yielding(until: "the shutdown begins") {
            fixture.settle()
            return fixture.engine.isShutDown
        }
    }

    private func hasSucceeded(_ request: Request) -> Bool {
        request.state == .completed && code(request) == nil
    }

    private func code(_ request: Request) -> String? { request.info?.response.error?.code }

    @Test func `a shutdown without requests ends the run`() async throws {
        #expect(try await running { trigger, _ in trigger.triggerGracefulShutdown() } == nil)
    }

    @Test func `requests in flight go on, and new ones fail with an error that says why`() async throws {
        let stub = try fixture.stub(.get, "a", isHeld: true, .response(204))
        var requests: [Request] = []
        let error = try await running { trigger, _ in
            requests.append(fixture.resource("a").load())
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            requests.append(fixture.resource("b").load())
            fixture.settle()
            #expect(requests.map(\.state) == [.inProgress, .completed])
            stub.go()
        }
        #expect(error == nil && hasSucceeded(requests[0]))
        let refused = try #require(requests[1].info?.response.error)
        #expect(refused.isShutdown && refused.code == "shutting_down")
        #expect("\(refused)".contains("The engine shuts down and takes no new requests"))
        #expect(fixture.transport.requests.count == 1 && fixture.engine.openRequests == 0)
    }

    @Test func `requests that take longer than the grace are cancelled`() async throws {
        try fixture.stub(.get, "a", isHeld: true, .response())
        var request: Request?
        let error = try await running(grace: .seconds(3)) { trigger, _ in
            request = fixture.resource("a").load()
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            fixture.advance(2.9)
            #expect(request?.state == .inProgress)
            fixture.advance(0.2)
        }
        #expect(error == nil && request?.isCancelled == true && fixture.transport.transfersInFlight == 0)
    }

    @Test(arguments: [false, true])
    func `cancelling the task cancels all at once, also after a shutdown`(isDraining: Bool) async throws {
        try fixture.stub(.get, "a", isHeld: true, .response())
        var request: Request?
        let error = try await running { trigger, task in
            request = fixture.resource("a").load()
            fixture.settle()
            if isDraining {
                trigger.triggerGracefulShutdown()
                await self.isDraining()
                #expect(request?.state == .inProgress)
            }
            task.cancel()
        }
        #expect(isDraining ? error == nil : error is CancellationError)
        #expect(request?.isCancelled == true && fixture.engine.openRequests == 0)
    }

    @Test func `what belongs to a request in flight may begin: a refresh, a repeat, a chain`() async throws {
        var isRenewed = false
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(isRenewed ? 200 : 401, delay: .seconds(1))
        }
        try fixture.stub(.post, "login", .response(delay: .seconds(1)))
        try fixture.stub(.get, "next", .response(delay: .seconds(1)))
        let (gate, service) = (RefreshGate(), fixture.service)
        service.configure("/a") { [weak service] in
            $0.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) {
                    _ = try await service?.resource("login").request(.post).entity()
                    isRenewed = true
                })
        }
        var request: Request?
        let error = try await running(grace: .seconds(60)) { trigger, _ in
            request = fixture.resource("a").request(.get).chained { _ in
                .passTo(service.resource("next").request(.get))
            }
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            await yielding(until: "the request ends") {
                fixture.advance(0.5)
                return request?.state == .completed
            }
        }
        #expect(error == nil && request.map(hasSucceeded) == true)
        #expect(
            fixture.transport.requests.map { $0.url.split(separator: "/").last } == [
                "a", "login", "a", "next",
            ])
    }

    @Test func `shutdown × queue: a request that waits for a slot is in flight`() async throws {
        let stub = try fixture.stub(.get, "*", isHeld: true, .response(204))
        fixture.service.configure { $0.limits = RequestLimits(inFlight: 1) }
        var requests: [Request] = []
        let error = try await running { trigger, _ in
            requests = ["a", "b"].map { fixture.resource($0).load() }
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            #expect(fixture.transport.requests.count == 1)
            stub.go()
        }
        #expect(error == nil && requests.allSatisfy { hasSucceeded($0) })
    }

    @Test func `shutdown × queue: one that still waits at the end is cancelled and never sent`() async throws
    {
        try fixture.stub(.get, "*", isHeld: true, .response(204))
        fixture.service.configure { $0.limits = RequestLimits(inFlight: 1) }
        var requests: [Request] = []
        _ = try await running(grace: .seconds(1)) { trigger, _ in
            requests = ["a", "b"].map { fixture.resource($0).load() }
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            fixture.advance(1)
        }
        #expect(requests.map { code($0) } == ["request_cancelled", "request_cancelled"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `requests of calls with headers of their own, and custom requests, are cancelled too`()
        async throws
    {
        try fixture.stub(.get, "**", isHeld: true, .response(204))
        let (endpoint, engine) = (try fixture.service.endpoint("x") { Header("X-A", "1") }, fixture.engine)
        var requests: [Request] = []
        _ = try await running(grace: .seconds(1)) { trigger, _ in
            requests.append(endpoint.get("a").start())
            let custom = Request(engine: engine) {
                try await Task.sleep(for: .seconds(3600))
                throw CancellationError()
            }
            requests.append(custom.start())
            fixture.settle()
            trigger.triggerGracefulShutdown()
            await isDraining()
            fixture.advance(1)
        }
        #expect(requests.map { code($0) } == ["request_cancelled", "request_cancelled"])
    }

    @Test func `an engine that is shut down can't run again, and the first of two services ends it`()
        async throws
    {
        let second = EngineLifecycle(fixture.engine)
        _ = try await running { trigger, _ in trigger.triggerGracefulShutdown() }
        await #expect(throws: EngineAlreadyShutDown.self) { try await second.run() }
        let other = EngineFixture()
        try other.stub(.get, "a", .response(204))
        let request = other.resource("a").load()
        other.settle()
        #expect(hasSucceeded(request))
    }

    @Test func `a stream of events ends, and does not reconnect`() async throws {
        let transport = StreamTransport()
        let service = RestService(
            engine: Engine(transport: transport, scheduler: fixture.scheduler), name: "events",
            baseURL: try BaseURL("https://api.test/"))
        service.configure("**") { $0.stream = .events }
        let resource = service.resource("a")
        resource.addObserver(owner: fixture) { _, _ in }
        let lifecycle = EngineLifecycle(service.engine)
        fixture.settle()
        #expect(service.engine.openStreams == 1)
        transport.streams.first?.open()
        let (trigger, task) = await begin(lifecycle)
        trigger.triggerGracefulShutdown()
        await yielding(until: "the stream ends") {
            fixture.advance(1)
            return service.engine.isShutDown && service.engine.openRequests == 0
        }
        try await task.value
        fixture.advance(100)
        #expect(service.engine.openStreams == 0 && transport.streams.count == 1)
        #expect(transport.streams[0].isCancelled)
        resource.removeObservers(ownedBy: fixture)
    }
}

/// The same over a network.
struct LifecycleNetworkTests {
    @Test func `shutdown × streamed body: a body that is read goes on to its end`() async throws {
        let gate = Gate()
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            gate.wait(for: "the shutdown")
            connection.send("final")
        }
        let engine = await Engine(transport: CurlTransport())
        let api = try await RestService(engine: engine, name: "api", baseURL: peer.baseURL)
        let lifecycle = await EngineLifecycle(engine)
        let (trigger, run) = await begin(lifecycle)
        let stream = try await api.get("a").stream()
        trigger.triggerGracefulShutdown()
        await yielding(until: "the shutdown begins") { await engine.isShutDown }
        gate.open()
        var text = ""
        for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == "firstfinal")
        try await run.value
        #expect(await engine.openRequests == 0)
    }

    @Test func `shutdown × streamed body: one that is not read is cut off after the grace`() async throws {
        let gate = Gate()
        let peer = LoopbackPeer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            gate.wait(for: "the end of the test")
        }
        let engine = await Engine(transport: CurlTransport())
        let api = try await RestService(engine: engine, name: "api", baseURL: peer.baseURL)
        let lifecycle = await EngineLifecycle(engine, grace: .zero)
        let (trigger, run) = await begin(lifecycle)
        let stream = try await api.get("a").stream()
        trigger.triggerGracefulShutdown()
        try await run.value
        let error = await #expect(throws: RequestError.self) { for try await _ in stream {} }
        #expect(error?.isCancellation == true)
        gate.open()
    }
}
