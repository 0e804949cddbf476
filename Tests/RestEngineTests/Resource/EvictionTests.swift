import TestSupport
import Testing

@testable import RestEngine

/// Eviction when there are too many resources, or too many bytes (D42).
@Suite(.leakChecked) @EngineActor
struct EvictionTests {
    let fixture = EngineFixture()
    private var service: Service { fixture.service }
    private var budget: ContentBudget { fixture.engine.contentBudget }

    private func load(_ numbers: some Sequence<Int>) {
        for number in numbers { service.resource("\(number)").loadIfNeeded() }
        fixture.settle()
    }

    /// A read like that of a gateway's client.
    private func read(_ path: String) -> Bool {
        service.resource(path).answerSnapshotForReaders().answer(at: fixture.clock.uptime) != nil
    }

    private func count(_ reason: String) -> Int {
        service.evictions.first { $0.reason == reason }?.count ?? 0
    }

    @Test func `a second pass over 5,000 fresh resources loads nothing`() throws {
        try fixture.stub("GET", "*", .text(200, "x"))
        for number in stride(from: 0, to: 5000, by: 500) { load(number..<(number + 500)) }
        #expect(fixture.transport.requests.count == 5000)
        #expect((0..<5000).allSatisfy { read("\($0)") })
        load(0..<5000)
        #expect(fixture.transport.requests.count == 5000 && service.liveResourceCount == 5000)
    }

    @Test func `a scan of paths that are not there drops no data, and the latest failures stay`() throws {
        try fixture.stub("GET", "*", .text(404, "no"))
        for number in 0..<100 { try fixture.stub("GET", "\(number)", .text(200, "x")) }
        load(0..<100)
        for number in stride(from: 1000, to: 11_000, by: 500) {
            load(number..<(number + 500))
            fixture.clock.advance(by: 0.01)
        }
        #expect((0..<100).allSatisfy { read("\($0)") })
        #expect(service.liveResourceCount <= 100 + ServiceCore.mostWithoutData)
        #expect(service.resource("10999").latestError?.httpStatusCode == 404)
        #expect(service.resource("1000").latestError == nil)
        #expect(count("no_data") >= 9000 && count("bytes") == 0 && count("count") == 0)
    }

    @Test func `what was never asked for is bounded, however many look it up`() {
        for number in 0..<20_000 { _ = service.resource("\(number)") }
        #expect(service.liveResourceCount <= ServiceCore.mostWithoutData)
        #expect(service.heldBytes < 2 << 20)
    }

    @Test func `resources without content take room as well`() {
        budget.limit = 100 << 10
        let held = (0..<500).map { service.resource("\($0)") }
        #expect(service.liveResourceCount == 500 && budget.heldBytes > 100 << 10)
        #expect(held[0].refusal(of: Entity(content: .text("x"), timestamp: 0)) != nil)
    }

    @Test func `what was not used for longest goes, on whatever thread it was used`() throws {
        try fixture.stub("GET", "*", .text(200, String(repeating: "x", count: 10_000)))
        budget.limit = 2 << 20
        for number in 0..<500 {
            load([number])
            fixture.clock.advance(by: 0.05)
            // Fresh reads only record the time.
            #expect(read("0"))
            if number >= 450 { #expect(service.resource("\(number - 50)").state.data != nil) }
        }
        #expect(budget.heldBytes <= budget.limit && count("bytes") > 300)
        #expect(service.resource("1").state.data == nil)
    }

    @Test func `of several services the one whose data was not used for longest gives it up`() throws {
        let other = Service(
            engine: fixture.engine, name: "other", baseURL: try BaseURL("https://other.test/"))
        let text = String(repeating: "x", count: 10_000)
        budget.limit = 1 << 20
        for number in 0..<40 { other.resource("\(number)").overrideLocalContent(.text(text)) }
        fixture.clock.advance(by: 1)
        for number in 0..<80 {
            service.resource("\(number)").overrideLocalContent(.text(text))
            fixture.clock.advance(by: 1)
        }
        #expect(other.evictions.map(\.count).reduce(0, +) > 0 && count("bytes") == 0)
        for number in 80..<300 {
            service.resource("\(number)").overrideLocalContent(.text(text))
            fixture.clock.advance(by: 1)
        }
        #expect(other.liveResourceCount == 0 && count("bytes") > 0)
        #expect(budget.heldBytes <= budget.limit)
    }

    @Test func `what somebody observes, waits for or holds stays the same object`() throws {
        try fixture.stub("GET", "held", isHeld: true, .text(200, "x"))
        try fixture.stub("GET", "*", .text(200, "y"))
        service.cachedResourceCountLimit = 20
        let owner = Owner()
        weak let observed = service.resource("observed").addObserver(owner: owner) { _, _ in }
        weak let loading = service.resource("held")
        var request: Request? = service.resource("held").load()
        let kept = service.resource("kept")
        for number in 0..<200 { load([number]) }
        #expect(service.liveResourceCount <= 21)
        #expect(observed != nil && service.resource("observed") === observed)
        #expect(loading != nil && service.resource("held") === loading)
        #expect(service.resource("kept") === kept)
        request?.cancel()
        request = nil
        service.resource("observed").removeObservers(ownedBy: owner)
        fixture.settle()
        for number in 200..<300 { load([number]) }
        #expect(observed == nil && loading == nil)
    }

    @Test func `a wiped resource is one without data, and one that is loaded again has some`() throws {
        try fixture.stub("GET", "*", .text(200, "x"))
        service.cachedResourceCountLimit = 10
        load(0..<10)
        let wiped = service.resource("3")
        for _ in 0..<100 {
            wiped.wipe()
            wiped.load()
            fixture.settle()
        }
        service.wipeResources(dropsUnused: false) { $0.urlString.hasSuffix("/7") }
        _ = service.resource("new")
        #expect(!service.liveResources.contains { $0.urlString.hasSuffix("/7") })
        #expect(service.liveResources.contains { $0.urlString.hasSuffix("/0") })
    }

    @Test func `evicted data is found in its cache, and by readers on other threads`() throws {
        try fixture.stub("GET", "*", .text(200, "x"))
        try fixture.cache([("cleanup", FakeCache("cache", fixture))])
        service.cachedResourceCountLimit = 10
        let answerSnapshot = service.resource("0").answerSnapshotForReaders()
        for number in 0..<30 { load([number]) }
        #expect(answerSnapshot.isRetired && answerSnapshot.answer(at: fixture.clock.uptime) == nil)
        let again = service.resource("0")
        #expect(again.latestData == nil)
        fixture.settle()
        #expect(again.text == "x" && again.isUpToDate)
        #expect(again.answerSnapshotForReaders().answer(at: fixture.clock.uptime) != nil)
        #expect(fixture.transport.requests.count == 30)
    }

    @Test
    func `too many in use: what a script keeps until it is collected is collected, not at each new one`() {
        var kept = (0..<50).map { service.resource("\($0)") }
        var collections = 0
        service.onResourceLimit = {
            collections += 1
            if collections == 3 { kept = [] }
        }
        service.cachedResourceCountLimit = 50
        var more: [Resource] = []
        for number in 100..<110 { more.append(service.resource("\(number)")) }
        #expect(collections == 1 && service.liveResourceCount == 60)
        for number in 110..<200 { more.append(service.resource("\(number)")) }
        #expect(collections > 1 && collections < 10)
        #expect(kept.isEmpty == (collections >= 3))
        kept = []
        more = []
        _ = service.resource("last")
        #expect(service.flushUnusedResourcesAboveLimit() && service.liveResourceCount <= 50)
    }

    @Test func `the log says once a minute how many went, as a warning when fresh data did`() throws {
        try fixture.stub("GET", "*", .text(200, "x"))
        service.cachedResourceCountLimit = 10
        load(0..<30)
        load(30..<60)
        let warnings = fixture.log.filter { $0.category == .warning }
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.text.contains("the service 'api': dropped unused resources") == true)
        fixture.clock.advance(by: 100)
        // All data is stale by now.
        fixture.engine.log.enabled = [.cache]
        load([100])
        #expect(fixture.log.filter { $0.category == .warning }.count == 1)
        #expect(fixture.log.last?.category == .cache)
    }

    @Test func `a service that is gone has no count of resources that its users keep`() throws {
        var kept: Resource?
        do {
            let other = Service(engine: fixture.engine, name: "b", baseURL: try BaseURL("https://b.test/"))
            for number in 0..<100 { _ = other.resource("\(number)") }
            kept = other.resource("kept")
            kept?.overrideLocalContent(.text("x"))
        }
        #expect(kept?.service.liveResourceCount == 1)
        kept = nil
        #expect(budget.heldBytes == 0)
    }

    private final class Owner {}
}
