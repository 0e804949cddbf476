import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct ContentBudgetTests {
    let fixture = EngineFixture()
    private var service: Service { fixture.service }
    private var budget: ContentBudget { fixture.engine.contentBudget }
    private let megabyte = String(repeating: "x", count: 1 << 20)

    init() { fixture.engine.contentBudget.limit = 10 << 20 }

    /// Loads a megabyte for each path, one second apart.
    private func load(_ paths: some Sequence<Int>) throws {
        try fixture.stub("GET", "*", .text(200, megabyte))
        for number in paths {
            service.resource("\(number)").load()
            fixture.settle()
            fixture.clock.advance(by: 1)
        }
    }

    private func holding() -> [String] {
        service.liveResources.filter(\.summary.hasData).map {
            $0.urlString.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    @Test func `what was not used for longest makes room`() throws {
        try load(0..<8)
        #expect(holding().count == 8)
        _ = service.resource("0").latestData
        try load(8..<12)
        #expect(holding().contains("0") && holding().contains("11"))
        #expect(!holding().contains("1") && !holding().contains("2"))
        #expect(budget.heldBytes <= budget.limit && budget.heldBytes > budget.limit / 2)
        // It loads again like a resource that never had data.
        #expect(!service.resource("1").isUpToDate)
        service.resource("1").loadIfNeeded()
        fixture.settle()
        #expect(service.resource("1").text == megabyte)
    }

    @Test func `readers on other threads use a resource too`() throws {
        try load(0..<1)
        let answerSnapshot = service.resource("0").answerSnapshotForReaders()
        try load(1..<4)
        #expect(answerSnapshot.answer(at: fixture.clock.uptime) != nil)
        fixture.clock.advance(by: 1)
        try load(4..<9)
        #expect(answerSnapshot.answer(at: fixture.clock.uptime) != nil)
        #expect(holding().contains("0") && !holding().contains("1"))
    }

    @Test func `the published form counts, and goes before observed data`() throws {
        let owner = Owner()
        try load(0..<1)
        let resource = service.resource("0")
        let before = budget.heldBytes
        let answerSnapshot = resource.answerSnapshotForReaders()
        // The encoded body, and the copy that readers share.
        #expect(budget.heldBytes >= before + 2 << 20)
        resource.addObserver(owner: owner) { _, _ in }
        // Observing it was a use, so others are dropped first.
        try load(1..<24)
        #expect(answerSnapshot.answer(at: fixture.clock.uptime) == nil)
        #expect(resource.text == megabyte)
        var body: Int?
        resource.readAnswer { body = try? $0.get().content.body.count }
        #expect(body == 1 << 20)
    }

    @Test func `large configurations take room, and are made again`() throws {
        var runs = 0
        let megabyte = megabyte
        try fixture.configure("*") { draft in
            runs += 1
            draft.configuration.headers.set("X-Long", megabyte)
        }
        let resources = (0..<40).map { service.resource("\($0)") }
        for resource in resources { #expect(resource.configuration(for: .get).headers["X-Long"] == megabyte) }
        #expect(runs == 40)
        #expect(budget.heldBytes <= budget.limit && budget.heldBytes > budget.limit / 2)
        _ = resources[39].configuration(for: .get)
        #expect(runs == 40)
        _ = resources[0].configuration(for: .get)
        #expect(runs == 41)
        // A resource remembers the configurations of some methods.
        for number in 0..<100 {
            _ = resources[0].configuration(for: "M\(number)")
            #expect(budget.heldBytes <= budget.limit)
        }
        service.invalidateConfiguration()
        for resource in resources { _ = resource.configuration(for: .get) }
        #expect(budget.heldBytes <= budget.limit)
    }

    @Test func `a published form without room is made for each reader`() throws {
        try fixture.stub("GET", "big", .text(200, String(repeating: megabyte, count: 4)))
        let resource = fixture.resource("big")
        let answerSnapshot = resource.answerSnapshotForReaders()
        resource.load()
        fixture.settle()
        for _ in 0..<2 {
            var count: Int?
            resource.readAnswer { count = try? $0.get().content.body.count }
            #expect(count == 4 << 20)
            #expect(answerSnapshot.answer(at: fixture.clock.uptime) == nil)
            #expect(budget.heldBytes < 5 << 20)
        }
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a load that finds only observed content fails, and what was there stays`() throws {
        let owner = Owner()
        try load(0..<9)
        for number in 0..<9 { service.resource("\(number)").addObserver(owner: owner) { _, _ in } }
        try fixture.stub("GET", "big", .text(200, megabyte + megabyte))
        let big = fixture.resource("big")
        var answer: Result<PublishedAnswer, RequestError>?
        big.readAnswer { answer = $0 }
        fixture.settle()
        #expect(big.latestData == nil)
        #expect(throws: RequestError.self) { try answer?.get() }
        #expect(big.latestError?.code == "too_large")
        #expect(
            big.latestError?.reason.contains("the host holds 10485760 bytes of content at most") == true)
        #expect(holding().count == 9)
        for number in 0..<9 { service.resource("\(number)").removeObservers(ownedBy: owner) }
        big.load()
        fixture.settle()
        #expect(big.latestError == nil && big.text.utf8.count == 2 << 20)
    }

    @Test func `a local change without room changes nothing`() throws {
        let resource = fixture.resource("own")
        resource.overrideLocalContent(.text("small"))
        resource.overrideLocalContent(.bytes([UInt8](repeating: 1, count: 11 << 20)))
        #expect(resource.text == "small")
        #expect(resource.latestError?.code == "too_large")
        resource.overrideLocalContent(.text("again"))
        #expect(resource.text == "again" && resource.latestError == nil)
    }

    @Test func `a loop of local changes stays below the limit`() {
        for number in 0..<100 {
            service.resource("\(number)").overrideLocalContent(.text(megabyte + "\(number)"))
            #expect(budget.heldBytes <= budget.limit)
        }
        #expect(holding().contains("99") && budget.droppedContents > 80)
    }

    @Test func `a service may have less, and takes only from itself`() throws {
        let base = try BaseURL("https://other.test/")
        let other = Service(engine: fixture.engine, name: "other", baseURL: base)
        other.resource("a").overrideLocalContent(.text(megabyte))
        service.cachedResourceBytesLimit = 3 << 20
        try load(0..<6)
        #expect(service.heldBytes <= 3 << 20 && service.heldBytes > 1 << 20)
        #expect(other.resource("a").text == megabyte)
        #expect(budget.heldBytes == service.heldBytes + other.heldBytes)
        service.cachedResourceBytesLimit = 1
        #expect(service.heldBytes == 0 && holding().isEmpty)
        #expect(service.contentLimit == 1 && other.contentLimit == 10 << 20)
        try fixture.stub("GET", "refused", .text(200, "x"))
        let refused = fixture.resource("refused")
        refused.load()
        fixture.settle()
        #expect(
            refused.latestError?.reason.contains("the service 'api' holds 1 bytes of content at most") == true
        )
        other.wipeResources()
    }

    @Test func `what ends is counted no more`() throws {
        try load(0..<5)
        service.flushUnusedResources()
        #expect(budget.heldBytes == 0)
        try load(0..<5)
        service.wipeResources()
        #expect(budget.heldBytes == 0)
    }

    @Test func `bodies on their way take room, and make it`() throws {
        try load(0..<8)
        let account = BodyAccount(budget)
        #expect(account.grow(to: 5 << 20))
        #expect(budget.bodyBytes == 5 << 20)
        #expect(budget.heldBytes + budget.bodyBytes <= budget.limit)
        let second = BodyAccount(budget)
        #expect(!second.grow(to: 6 << 20))
        #expect(second.refusal.code == .tooLarge && second.refusal.limit == 10 << 20)
        account.close()
        #expect(budget.bodyBytes == 0 && second.grow(to: 6 << 20))
        second.close()
    }

    @Test func `a request under way keeps the data that it may confirm`() throws {
        try load(0..<1)
        try fixture.stub("GET", "0", isHeld: true, .text(200, "new"))
        let request = service.resource("0").load()
        try load(1..<12)
        #expect(service.resource("0").text == megabyte)
        request.cancel()
        fixture.settle()
    }

    private final class Owner {}
}
