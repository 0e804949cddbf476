import TestSupport
import Testing

@testable import RestEngine

@Suite @EngineActor
struct SharedLoadTests {
    private let one = EngineFixture()
    private let two = EngineFixture()
    private let leases = FakeLeases()
    private let reads = Journal()

    init() throws {
        for (fixture, text) in [(one, "one"), (two, "two")] {
            fixture.engine.coordination = leases
            try fixture.stub("GET", "a", .text(200, text, delay: .seconds(2)))
        }
    }

    private func share() throws {
        for fixture in [one, two] { try fixture.configure { $0.configuration.sharesLoads = true } }
    }

    private func read(_ fixture: EngineFixture) {
        fixture.resource("a").read { [reads] result in
            switch result {
            case .success(let entity): reads.note(entity.content.text ?? "?")
            case .failure(let error): reads.note("failed: \(error.userMessage)")
            }
        }
        fixture.settle()
    }

    private func advance(_ seconds: Double) {
        one.advance(seconds)
        two.advance(seconds)
    }

    private var requests: [Int] { [one, two].map(\.transport.requests.count) }

    @Test func `Of two hosts one asks the API`() throws {
        try share()
        read(one)
        read(two)
        #expect(leases.waitingCount == 1)
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(requests == [1, 0])
        #expect(two.resource("a").isUpToDate)
        #expect(leases.ends.lines == ["loaded one"])
    }

    @Test func `Without a word each host asks by itself`() {
        read(one)
        read(two)
        advance(2)
        #expect(reads.lines == ["one", "two"] && requests == [1, 1])
        #expect(leases.ends.lines.isEmpty)
    }

    @Test func `A load that is demanded asks the API itself`() throws {
        try share()
        read(one)
        two.resource("a").load()
        two.settle()
        advance(2)
        #expect(requests == [1, 1])
        #expect(two.resource("a").latestData?.content.text == "two")
    }

    @Test func `Reads that do not collapse are not shared`() throws {
        try share()
        for fixture in [one, two] { try fixture.configure { $0.configuration.isCollapsing = false } }
        read(one)
        read(two)
        advance(2)
        #expect(requests == [1, 1])
    }

    @Test func `A host that waits asks by itself when the other has failed`() throws {
        try share()
        try one.stub("GET", "a", .text(500, "broken", delay: .seconds(1)))
        read(one)
        read(two)
        advance(1)
        #expect(requests == [1, 1])
        advance(2)
        #expect(reads.lines.last == "two")
        #expect(leases.ends.lines == ["failed", "loaded two"])
    }

    @Test func `A cancelled load lets the next host go`() throws {
        try share()
        let request = try #require(one.resource("a").loadIfNeeded())
        one.settle()
        read(two)
        request.cancel()
        one.settle()
        two.settle()
        advance(2)
        #expect(reads.lines == ["two"])
        #expect(leases.ends.lines == ["failed", "loaded two"])
    }

    @Test func `A host that waits can be cancelled`() throws {
        try share()
        read(one)
        let request = try #require(two.resource("a").loadIfNeeded())
        two.settle()
        #expect(leases.waitingCount == 1)
        request.cancel()
        #expect(leases.waitingCount == 0)
        two.settle()
        advance(2)
        #expect(requests == [1, 0])
    }

    @Test func `A wait ends with the time of the request`() throws {
        try share()
        try two.configure { $0.configuration.timeouts.totalSeconds = 1 }
        read(one)
        read(two)
        advance(1)
        #expect(leases.waitingCount == 0)
        #expect(reads.lines.count == 1 && reads.lines[0].hasPrefix("failed"))
        advance(1)
        #expect(requests == [1, 0])
    }

    @Test func `A change during the load makes its data nobody else's`() throws {
        try share()
        read(one)
        one.resource("a").outdate()
        advance(2)
        #expect(leases.ends.lines == ["failed, outdated"])
        #expect(!one.resource("a").isUpToDate)
    }

    // MARK: With a cache

    private func cache() throws -> FakeSharedCache {
        let cache = FakeSharedCache()
        for fixture in [one, two] { try fixture.cache([("cleanup", cache)]) }
        return cache
    }

    @Test func `A cache that hosts share is written under the number of the load, and read again`() throws {
        let cache = try cache()
        read(one)
        read(two)
        advance(2)
        #expect(reads.lines == ["one", "one"])
        #expect(requests == [1, 0])
        #expect(cache.calls.lines == ["read", "read", "write one under 1", "read"])
        #expect(leases.ends.lines == ["loaded into the cache"])
    }

    @Test func `An invalidated resource is loaded, whatever the cache had`() throws {
        let cache = try cache()
        read(one)
        advance(2)
        one.resource("a").invalidate()
        #expect(cache.entities.isEmpty)
        read(one)
        advance(2)
        #expect(requests == [2, 0])
    }

    @Test func `An entry is not read while others may not know of a change here`() throws {
        let cache = try cache()
        read(one)
        advance(2)
        leases.awaited = [two.resource("a").urlString]
        read(two)
        advance(2)
        #expect(reads.lines == ["one", "two"])
        #expect(requests == [1, 1])
        #expect(cache.entities.count == 1)
    }

    // MARK: With other features

    @Test func `A retry keeps the lease`() throws {
        try share()
        try one.configure { $0.configuration.retry = RetryPolicy() }
        try one.stub("GET", "a", .text(503, "busy", delay: .seconds(1)))
        read(one)
        read(two)
        advance(1)
        #expect(leases.waitingCount == 1 && leases.ends.lines.isEmpty)
        for _ in 0..<60 { advance(0.5) }
        #expect(requests[0] > 1)
        #expect(leases.ends.lines == ["failed", "loaded two"])
        #expect(reads.lines.last == "two")
    }

    @Test func `A decorator that repeats a failed load asks for another lease`() throws {
        try share()
        try one.configure { draft in
            draft.configuration.decorators.append { _, request in
                request.chained { info in
                    if case .failure = info.response { .passTo(request.repeated()) } else { .useThisResponse }
                }
            }
        }
        try one.stub("GET", "a", .text(500, "broken", delay: .seconds(1)))
        read(one)
        read(two)
        for _ in 0..<4 { advance(1) }
        #expect(leases.ends.lines == ["failed", "loaded two"])
        #expect(reads.lines == ["two", "two"] && requests == [1, 1])
    }

    @Test func `A host without a network asks for no lease`() throws {
        try share()
        two.engine.isOffline = true
        two.resource("a").loadIfNeeded()
        two.settle()
        #expect(leases.waitingCount == 0 && leases.ends.lines.isEmpty)
    }
}
