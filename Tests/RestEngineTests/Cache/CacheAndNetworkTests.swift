import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheAndNetworkTests {
    let fixture = EngineFixture()
    let hooks = Journal()
    let events = Journal()

    /// A resource with a cache at its last stage, and a server that says `net`.
    private func resource(
        cached text: String? = nil, age: Double = 0, read: FakeCache.Manner = .atOnce
    ) throws -> (Resource, FakeCache) {
        try fixture.stub("GET", "a", .text(200, "net"))
        let cache = FakeCache("cache", fixture)
        if let text { cache.with(text, timestamp: fixture.clock.now - age) }
        cache.manners["read"] = read
        try fixture.cache([("cleanup", cache)])
        return (fixture.resource("a"), cache)
    }

    private func read(_ resource: Resource, _ name: String = "read") {
        resource.read { [hooks] result in
            switch result {
            case .success(let entity): hooks.note("\(name) \(entity.content.text ?? "?")")
            case .failure(let error): hooks.note("\(name) failed: \(error.userMessage)")
            }
        }
    }

    @Test(arguments: [(-1.0, false), (0, true), (29, true), (31, false)])
    func `22.11 D43 a hit keeps its age, and one from the future has to be confirmed`(
        age: Double, isUpToDate: Bool
    ) throws {
        try fixture.stub("GET", "a", .text(200, "kept"))
        let cache = FakeCache("cache", fixture)
        cache.with("kept", timestamp: fixture.clock.now - age)
        try fixture.cache([("cleanup", cache)])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.latestData?.content.text == "kept")
        #expect(resource.isUpToDate == isUpToDate)
        // The clock is set back after the read. The age of the data is known.
        fixture.clock.move(toUptime: fixture.clock.uptime, now: 1000)
        #expect(resource.isUpToDate == isUpToDate)
        resource.loadIfNeeded()
        fixture.settle()
        #expect(resource.isUpToDate && resource.text == "kept")
        #expect(fixture.transport.requests.count == (isUpToDate ? 0 : 1))
        if !isUpToDate { #expect(resource.latestData?.timestamp == 1000) }
    }

    @Test func `22.15 a read waits for the look-up, and a fresh hit is its answer`() throws {
        let (resource, _) = try resource(cached: "kept", read: .after(1))
        read(resource, "one")
        read(resource, "two")
        fixture.settle()
        fixture.advance(1)
        #expect(hooks.lines == ["one kept", "two kept"])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `22.15 a read with nothing fresh goes to the network`(isStale: Bool) throws {
        let (resource, _) = try resource(cached: isStale ? "kept" : nil, age: 31)
        read(resource, "one")
        read(resource, "two")
        fixture.settle()
        #expect(hooks.lines == ["one net", "two net"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `22.15 reads that do not collapse share the look-up alone`(isFresh: Bool) throws {
        let (resource, cache) = try resource(cached: "kept", age: isFresh ? 0 : 31)
        try fixture.configure { $0.configuration.isCollapsing = false }
        for name in ["one", "two", "three"] { read(resource, name) }
        fixture.settle()
        let text = isFresh ? "kept" : "net"
        #expect(hooks.lines == ["one \(text)", "two \(text)", "three \(text)"])
        #expect(fixture.transport.requests.count == (isFresh ? 0 : 3))
        #expect(cache.calls.lines.filter { $0.contains("read") }.count == 1)
        #expect(!resource.isLoading)
    }

    @Test func `22.15 a read for readers on other threads takes the hit too`() throws {
        let (resource, _) = try resource(cached: "kept", age: 4)
        let answerSnapshot = resource.answerSnapshotForReaders()
        resource.readAnswer { [hooks] in
            if case .success(let answer) = $0 { hooks.note("\(answer.timestamp) \(answer.expiresAt)") }
        }
        fixture.settle()
        #expect(hooks.lines == ["-4.0 26.0"])
        #expect(answerSnapshot.answer(at: fixture.clock.uptime)?.content.body == Array("kept".utf8))
    }

    // MARK: Loads

    /// Notes each event with the state that observers see.
    private func watch(_ resource: Resource) {
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { [events, unowned resource] category, text in
            guard category == .stateChanges, let colon = text.lastIndex(of: ":") else { return }
            let data = resource.state.data?.content.text ?? ""
            events.note("\(text[colon...].dropFirst(2)) data=\(data) loading=\(resource.isLoading)")
        }
    }

    @Test func `22.16 load does not wait: the cache first`() throws {
        let (resource, _) = try resource(cached: "kept")
        try fixture.stub("GET", "a", .text(200, "net", delay: .seconds(1)))
        watch(resource)
        resource.load()
        #expect(events.lines == ["requested data= loading=true"])
        fixture.settle()
        fixture.advance(1)
        #expect(
            events.lines == [
                "requested data= loading=true", "new_data(cache) data=kept loading=true",
                "new_data(network) data=net loading=false",
            ])
    }

    @Test func `22.16 load does not wait: the network first`() throws {
        let (resource, _) = try resource(cached: "kept", read: .after(1))
        watch(resource)
        resource.load()
        fixture.settle()
        fixture.advance(1)
        #expect(
            events.lines == ["requested data= loading=true", "new_data(network) data=net loading=false"])
    }
}
