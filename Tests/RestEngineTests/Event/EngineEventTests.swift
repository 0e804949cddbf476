import RestEngine
import TestSupport
import Testing

/// The events that a listener got.
@EngineActor
private final class EventNotes {
    private(set) var entries: [EngineEvent] = []

    func add(_ event: EngineEvent) { entries.append(event) }
}

@Suite(.leakChecked) @EngineActor
struct EngineEventTests {
    let fixture = EngineFixture()

    /// Listens to kinds of events until the end of the test.
    private func listen(
        _ kinds: Set<EngineEvent.Kind> = Set(EngineEvent.Kind.allCases)
    ) -> (log: EventNotes, subscription: EventSubscription) {
        let journal = EventNotes()
        return (journal, fixture.engine.onEvent(kinds) { journal.add($0) })
    }

    private func names(_ events: [EngineEvent]) -> [String] {
        events.map { event in
            switch event.detail {
            case .attempt(let attempt): "attempt \(attempt.number) \(attempt.reason ?? "-")"
            case .state(let change): "state \(change.name)"
            case .cache(let access): "cache \(access.operation) \(access.result.rawValue)"
            default: event.kind.rawValue
            }
        }
    }

    @Test func `46.2 46.3 a load tells its request, its attempt, its end and the change, with one number`()
        throws
    {
        try fixture.stub("GET", "a", .json(200, #"{"x": 1}"#))
        let (journal, subscription) = listen()
        fixture.resource("a").load()
        fixture.settle()
        fixture.resource("a").load()
        fixture.settle()
        let first = ["request", "state requested", "attempt 1 -", "response", "state new_data(network)"]
        #expect(Set(names(Array(journal.entries.prefix(5)))) == Set(first))
        #expect(journal.entries.compactMap(\.request) == [1, 1, 1, 2, 2, 2])
        #expect(journal.entries.allSatisfy { $0.service == "api" && $0.url == "https://api.test/v1/a" })
        subscription.cancel()
    }

    @Test func `46.2 a redirect belongs to its attempt, with what was sent and what came`() throws {
        try fixture.stub(
            "POST", "a", .response(307, headers: ["Location": "https://api.test/v1/b"], body: [1, 2]))
        try fixture.stub("POST", "b", .text(500, "no"))
        let (journal, subscription) = listen([.attempt, .response])
        fixture.resource("a").request("POST", RequestOptions(body: .text("hello", charset: "utf-8")))
        fixture.settle()
        #expect(names(journal.entries) == ["attempt 1 -", "attempt 1 redirect", "response"])
        let attempts = journal.entries.compactMap { event -> EngineEvent.Attempt? in
            if case .attempt(let attempt) = event.detail { attempt } else { nil }
        }
        #expect(attempts.map { $0.message.body } == [Array("hello".utf8), Array("hello".utf8)])
        #expect(attempts.map { try? $0.result.get().status } == [307, 500])
        #expect(attempts.first.map { try? $0.result.get().body } == [1, 2])
        guard case .response(let outcome) = try #require(journal.entries.last).detail else { return }
        #expect(outcome.status == 500 && outcome.error != nil && outcome.seconds == 0)
        #expect(outcome.message?.contains("500") == true)
        subscription.cancel()
    }

    @Test func `46.2 a failure of the transport and a cancellation are reported`() throws {
        try fixture.stub("GET", "a", .error(TransportError(.timeout, phase: .connect, message: "slow")))
        let (journal, subscription) = listen([.attempt, .response])
        fixture.resource("a").load()
        fixture.settle()
        fixture.resource("a").load().cancel()
        fixture.settle()
        #expect(names(journal.entries) == ["attempt 1 -", "response", "attempt 1 -", "response"])
        let trees = journal.entries.map(\.tree)
        #expect(trees[0]["error"]?.string == "timeout" && trees[0]["phase"]?.string == "connect")
        #expect(trees[1]["error"]?.string == "timeout")
        #expect(trees[2...].map { $0["error"]?.string } == ["request_cancelled", "request_cancelled"])
        subscription.cancel()
    }

    @Test func `46.2 caches tell hits, misses and writes`() throws {
        let cache = MemoryCache()
        try fixture.configure { $0.configuration.pipeline["decoding"].cache = cache }
        try fixture.stub("GET", "a", .text(200, "x"))
        let (journal, subscription) = listen([.cache])
        fixture.resource("a").loadIfNeeded()
        fixture.settle()
        #expect(names(journal.entries) == ["cache read miss", "cache write done"])
        fixture.service.flushUnusedResources()
        fixture.resource("a").loadIfNeeded()
        fixture.settle()
        #expect(names(journal.entries).last == "cache read hit")
        #expect(journal.entries.last?.tree["stage"]?.string == "decoding")
        subscription.cancel()
    }

    @Test func `46.1 46.4 kinds that nobody asked for are not made, and the cancelled hear nothing`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var made = 0
        func event() -> EngineEvent {
            made += 1
            return EngineEvent(time: 0, .reload(EngineEvent.Reload(trigger: "test", generation: 1)))
        }
        fixture.engine.notify(.reload, event())
        #expect(made == 0 && !fixture.engine.hasListeners(of: .reload))
        let (journal, subscription) = listen([.reload])
        let other = fixture.engine.onEvent([.reload]) { _ in subscription.cancel() }
        fixture.engine.notify(.reload, event())
        fixture.engine.notify(.state, event())
        #expect(made == 1 && journal.entries.count == 1)
        fixture.engine.notify(.reload, event())
        #expect(journal.entries.count == 1 && !subscription.isActive)
        other.cancel()
        #expect(!fixture.engine.hasListeners(of: .reload))
    }

    @Test func `46.5 46.6 a slow reader gets the newest, learns how many it lost, and holds no bodies`()
        async throws
    {
        try fixture.stub("GET", "a", .text(200, "body"))
        var events: EngineEvents.Iterator? = fixture.engine.events([.attempt, .state]).makeAsyncIterator()
        fixture.resource("a").load()
        fixture.settle()
        let attempt = await next(&events, where: { $0.kind == .attempt })
        guard case .attempt(let notified)? = attempt?.detail else { return }
        #expect(try notified.result.get().body == [])
        let lost = 10
        let resource = fixture.resource("b")
        _ = await next(&events, where: { $0.tree["event"]?.string == "new_data(network)" })
        for number in 0..<EventQueue.limit + lost { resource.overrideLocalContent(.text("\(number)")) }
        let first = await events?.next(isolation: EngineActor.shared)
        #expect(first?.dropped == lost)
        let second = await events?.next(isolation: EngineActor.shared)
        #expect(second?.dropped == 0)
        events = nil
        await Task.othersWait()
        #expect(!fixture.engine.hasListeners(of: .attempt))
    }

    @Test func `46.5 46.6 limit L313: events wait up to a size, without parts of bodies`() {
        var queue = EventQueue()
        let url = "https://api.test/" + String(repeating: "x", count: 1 << 20)
        for number in 1...10 { queue.add(EngineEvent(time: Double(number), url: url, .request)) }
        #expect(queue.count == 3)
        let first = queue.next()
        #expect(first?.time == 8 && first?.dropped == 7)
        // The newest one waits, whatever its size.
        let long = String(repeating: url, count: 6)
        queue.add(EngineEvent(time: 11, url: long, .request))
        #expect(queue.count == 1)
        let newest = queue.next()
        #expect(newest?.dropped == 2)
        var message = TransportRequest(method: "POST", url: "https://api.test/a")
        message.upload = .multipart([MultipartPart(name: "a", source: .bytes([1, 2, 3]))])
        let attempt = EngineEvent.Attempt(
            number: 1, message: message, result: .failure(TransportError(.internal, message: "no")),
            began: 0, seconds: 0)
        queue.add(EngineEvent(time: 12, .attempt(attempt)))
        guard case .attempt(let kept)? = queue.next()?.detail else { return }
        #expect(kept.message.upload == nil && kept.message.url == "https://api.test/a")
    }

    private func next(
        _ events: inout EngineEvents.Iterator?, where matches: (EngineEvent) -> Bool
    ) async -> EngineEvent? {
        while let event = await events?.next(isolation: EngineActor.shared) {
            if matches(event) { return event }
        }
        return nil
    }

    @Test func `46.7 as an object an event has what its kind has, and no secrets`() throws {
        try fixture.stub("GET", "a**", .text(200, "x"))
        let (journal, subscription) = listen([.attempt])
        fixture.resource("a").withParam("api_key", "canary-1").request("GET")
        fixture.settle()
        let tree = try #require(journal.entries.first).tree
        #expect(tree["kind"]?.string == "attempt" && tree["status"]?.int == 200)
        #expect(tree["url"]?.string == "https://api.test/v1/a?api_key=***")
        #expect(!tree.description.contains("canary-1"))
        let limit = EngineEvent(
            time: 1,
            .limit(.init(scope: "api", action: .queued, waiting: 2, inFlight: 3)))
        #expect(limit.tree["action"]?.string == "queued" && limit.tree["in_flight"]?.int == 3)
        let breaker = EngineEvent(
            time: 1, .breaker(.init(origin: "https://a.test:443", state: .halfOpen, retryAt: 7)))
        #expect(breaker.tree["state"]?.string == "half_open" && breaker.tree["retry_at"]?.double == 7)
        subscription.cancel()
    }
}
