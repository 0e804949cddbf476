import TestSupport
import Testing

@testable import RestEngine

/// A load that another host makes, together with other features of the host that waits for it.
@Suite @EngineActor
struct SharedLoadPairTests {
    private let one = EngineFixture()
    private let two = EngineFixture()
    private let leases = FakeLeases()
    private let reads = Journal()
    private let folder = TemporaryFolder()

    /// The API takes two seconds for `a`.
    init() throws {
        for (fixture, text) in [(one, "one"), (two, "two")] {
            fixture.engine.coordination = leases
            try fixture.stub("GET", "a", .text(200, text, delay: .seconds(2)))
            try fixture.stub("GET", "b", .text(200, "b", delay: .seconds(2)))
            try fixture.configure { $0.configuration.sharesLoads = true }
        }
    }

    private func read(_ fixture: EngineFixture, _ path: String = "a") {
        fixture.resource(path).read { [reads] result in
            switch result {
            case .success(let entity): reads.note(entity.content.text ?? "?")
            case .failure(let error): reads.note("failed: \(error.code)")
            }
        }
        fixture.settle()
    }

    /// The clock of the host that waits goes first: it is at the time at which it hears of the other one.
    private func advance(_ seconds: Double) {
        two.advance(seconds)
        one.advance(seconds)
        two.settle()
    }

    private var requests: [Int] { [one, two].map(\.transport.requests.count) }

    /// The first host loads, and the second waits for it.
    private func beginBoth() {
        read(one)
        read(two)
        #expect(leases.waitingCount == 1)
    }

    /// The first host's load will fail after that time.
    private func fail(after seconds: Int = 1) throws {
        try one.stub("GET", "a", .text(500, "broken", delay: .seconds(seconds)))
    }

    // MARK: Circuit breakers

    private var breakers: [AttemptFacts.Breaker] { two.engine.attemptFacts.breakers }

    /// The second host's breaker opens for five seconds.
    private func openBreaker() throws {
        try two.configure { draft in
            var policy = BreakerPolicy()
            policy.requests = 1
            draft.configuration.breaker = policy
        }
        try two.stub("GET", "bad", .response(503))
        two.resource("bad").request("GET")
        two.settle()
        #expect(breakers.first?.openSeconds == 5)
    }

    @Test func `Behind an open breaker the data of another host is used`() throws {
        try openBreaker()
        beginBoth()
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(requests == [1, 1])
        #expect(breakers.first?.openSeconds == 3)
    }

    @Test
    func
        `Behind an open breaker a load that becomes this host's own fails at once, and gives the lease back`()
        throws
    {
        try fail()
        try openBreaker()
        beginBoth()
        advance(1)
        #expect(reads.lines.count == 2 && reads.lines.last == "failed: circuit_open")
        #expect(leases.ends.lines == ["failed", "failed"])
        #expect(requests == [1, 1])
    }

    @Test func `A load that waits for another host is not the probe of a breaker`() throws {
        try openBreaker()
        advance(5)
        beginBoth()
        #expect(breakers.first?.isProbed == false)
        read(two, "b")
        #expect(breakers.first?.isProbed == true)
        advance(2)
        #expect(reads.lines.sorted() == ["b", "one", "one"])
        #expect(breakers.isEmpty)
    }

    @Test func `Data of another host closes no breaker`() throws {
        try openBreaker()
        advance(5)
        beginBoth()
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(breakers.first?.isProbed == false)
    }

    // MARK: Limits

    private var limit: AttemptFacts.Limit? { two.engine.attemptFacts.limits.first }

    @Test func `A load that waits for another host takes no slot of a limit`() throws {
        try two.configure { $0.configuration.limits = RequestLimits(inFlight: 1) }
        beginBoth()
        #expect((limit?.inFlight ?? 0) == 0)
        read(two, "b")
        #expect(requests == [1, 1])
        advance(2)
        #expect(reads.lines.sorted() == ["b", "one", "one"])
        #expect(limit?.inFlight == 0 && limit?.waiting == 0)
    }

    @Test func `A load under a grant takes a slot, and waits for one`() throws {
        try two.configure { $0.configuration.limits = RequestLimits(inFlight: 1) }
        try two.stub("GET", "c", .text(200, "c", delay: .seconds(1)))
        two.resource("c").request("GET")
        read(two, "b")
        #expect(limit?.inFlight == 1 && limit?.waiting == 1)
        // The other host waits for a load that waits for its slot.
        read(one, "b")
        #expect(leases.waitingCount == 1)
        advance(1)
        #expect(limit?.inFlight == 1 && limit?.waiting == 0)
        advance(2)
        one.settle()
        #expect(reads.lines == ["b", "b"])
        #expect(requests == [0, 2])
        #expect(limit?.inFlight == 0)
    }

    @Test func `A load that waits for another host takes nothing of a rate`() throws {
        let rate = RequestLimits.Rate(requests: 1, per: .seconds(60))
        try two.configure { $0.configuration.limits = RequestLimits(rate: rate) }
        beginBoth()
        read(two, "b")
        advance(2)
        #expect(reads.lines.sorted() == ["b", "one", "one"])
        #expect(requests == [1, 1])
    }

    // MARK: Events, traces and recordings

    @Test func `Its events are those of a request without an attempt`() throws {
        let kinds = Journal()
        let subscription = two.engine.onEvent([.request, .attempt, .response, .limit, .breaker]) { event in
            kinds.note(event.kind.rawValue)
        }
        defer { subscription.cancel() }
        try two.configure { $0.configuration.isTraced = true }
        beginBoth()
        two.settle()
        #expect(kinds.lines == ["request"])
        advance(2)
        two.settle()
        #expect(kinds.lines == ["request", "response"])
    }

    @Test func `A load that becomes this host's own is traced, as one attempt`() throws {
        let spans = Journal()
        let subscription = two.engine.onEvent([.attempt]) { event in
            if case .attempt(let attempt) = event.detail {
                spans.note("\(attempt.number) \(attempt.span != nil)")
            }
        }
        defer { subscription.cancel() }
        try two.configure { $0.configuration.isTraced = true }
        try fail()
        beginBoth()
        advance(1)
        advance(2)
        two.settle()
        #expect(spans.lines == ["1 true"])
        #expect(two.transport.requests.first?.headers.contains("traceparent") == true)
    }

    @Test func `A load of another host is no exchange of a recording`() throws {
        let recorders = try [one, two].enumerated().map { number, fixture in
            let recorder = try TrafficRecorder(
                "\(folder.path)/\(number).har", version: "1", bodyLimit: 1 << 20)
            recorder.listen(to: fixture.engine)
            return recorder
        }
        beginBoth()
        advance(2)
        for fixture in [one, two] { fixture.settle() }
        #expect(reads.lines == ["one", "one"])
        #expect(recorders.map(\.entries) == [1, 0])
        for recorder in recorders { try recorder.finish() }
    }

    // MARK: Time

    @Test func `The wait counts for the time limit of the load that follows`() throws {
        try two.configure { $0.configuration.timeouts.totalSeconds = 2.5 }
        try fail()
        beginBoth()
        advance(1)
        #expect(two.transport.requests.map(\.timeouts.totalSeconds) == [1.5])
    }

    @Test func `The time limit of the first byte doesn't count while it waits`() throws {
        try two.configure { $0.configuration.timeouts.firstByteSeconds = 1 }
        beginBoth()
        advance(2)
        #expect(reads.lines == ["one", "one"])
    }

    @Test func `A load that waits and is cancelled takes no slot and no probe`() throws {
        try openBreaker()
        advance(5)
        try two.configure { $0.configuration.limits = RequestLimits(inFlight: 1) }
        read(one)
        let request = try #require(two.resource("a").loadIfNeeded())
        two.settle()
        #expect(leases.waitingCount == 1)
        request.cancel()
        two.settle()
        #expect(leases.waitingCount == 0)
        #expect(breakers.first?.isProbed == false && (limit?.inFlight ?? 0) == 0)
        read(two, "b")
        advance(2)
        #expect(reads.lines.sorted() == ["b", "one"])
        #expect(breakers.isEmpty)
    }

    // MARK: Configuration

    @Test func `Blocks that run again while a load waits change nothing about it`() throws {
        beginBoth()
        two.service.invalidateConfiguration()
        two.settle()
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(two.resource("a").isUpToDate)
        #expect(requests == [1, 0])
    }

    @Test func `A load that waits is still shared when a block says otherwise meanwhile`() throws {
        beginBoth()
        try two.configure { $0.configuration.sharesLoads = false }
        two.settle()
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(requests == [1, 0])
        // The next one is not.
        two.resource("a").invalidate()
        read(two)
        advance(2)
        #expect(reads.lines.last == "two" && leases.ends.lines == ["loaded one"])
    }

    @Test func `A shorter expiration time counts for data that another host has loaded`() throws {
        beginBoth()
        try two.configure { $0.configuration.expirationSeconds = 1 }
        two.settle()
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(two.resource("a").isUpToDate)
        advance(1.5)
        #expect(!two.resource("a").isUpToDate)
    }
}
