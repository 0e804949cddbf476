import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct CacheLoadIfNeededTests {
    let fixture = EngineFixture()
    let events = Journal()
    let hooks = Journal()

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

    /// Notes each event with the state that observers see.
    private func watch(_ resource: Resource) {
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { [events, unowned resource] category, text in
            guard category == .stateChanges, let colon = text.lastIndex(of: ":") else { return }
            let data = resource.state.data?.content.text ?? ""
            events.note("\(text[colon...].dropFirst(2)) data=\(data) loading=\(resource.isLoading)")
        }
    }

    @Test(arguments: [1, 3])
    func `5.6 5.8 5.9 30 a fresh hit needs no network`(calls: Int) throws {
        let (resource, cache) = try resource(cached: "kept", age: 5)
        watch(resource)
        let requests = (0..<calls).map { _ in resource.loadIfNeeded() }
        #expect(resource.isLoading && events.lines == [])
        let first = try #require(requests.first ?? nil)
        #expect(requests.allSatisfy { $0 === first })
        #expect(resource.loadRequests.count == 1 && first.state == .inProgress)
        hooks.follow(first)
        fixture.runTick()
        #expect(
            events.take() == [
                "new_data(cache) data=kept loading=true", "not_modified data=kept loading=false",
            ])
        #expect(hooks.lines == [] && first.state == .completed)
        fixture.runTick()
        #expect(hooks.lines == ["completion", "success kept", "new_data"])
        fixture.settle()
        #expect(events.lines == [] && fixture.transport.requests.isEmpty)
        #expect(cache.calls.lines == ["cache read a"])
        #expect(resource.latestData?.timestamp == 999_995)
    }

    @Test(arguments: [1, 3])
    func `5.10 30 a miss goes to the network`(calls: Int) throws {
        let (resource, cache) = try resource()
        watch(resource)
        let requests = (0..<calls).compactMap { _ in resource.loadIfNeeded() }
        for request in requests { hooks.follow(request) }
        #expect(events.lines == [] && fixture.transport.requests.isEmpty)
        fixture.runTick()
        #expect(events.lines == ["requested data= loading=true"])
        #expect(resource.loadRequests.count == 1 && resource.loadRequests.first !== requests[0])
        fixture.settle()
        #expect(
            events.lines == ["requested data= loading=true", "new_data(network) data=net loading=false"])
        #expect(hooks.lines.filter { $0 == "success net" }.count == calls)
        #expect(fixture.transport.requests.count == 1)
        #expect(cache.calls.lines == ["cache read a", "cache write a net"])
    }

    @Test func `5.11 30 a stale hit is shown while the network is asked`() throws {
        let (resource, _) = try resource(cached: "kept", age: 31)
        watch(resource)
        let request = try #require(resource.loadIfNeeded())
        hooks.follow(request)
        fixture.settle()
        #expect(
            events.lines == [
                "new_data(cache) data=kept loading=true", "requested data=kept loading=true",
                "new_data(network) data=net loading=false",
            ])
        #expect(hooks.lines == ["completion", "success net", "new_data"])
    }

    @Test func `5.11 19.8 22.12 a stale hit with an ETag may be confirmed`() throws {
        try fixture.stub("GET", "a", .response(304))
        let cache = FakeCache("cache", fixture)
        cache.with("kept", timestamp: 999_000, headers: Headers([("ETag", "\"1\"")]))
        try fixture.cache([("cleanup", cache)])
        let resource = fixture.resource("a")
        watch(resource)
        hooks.follow(try #require(resource.loadIfNeeded()))
        fixture.settle()
        #expect(fixture.transport.requests.first?.headers["If-None-Match"] == "\"1\"")
        #expect(
            events.lines == [
                "new_data(cache) data=kept loading=true", "requested data=kept loading=true",
                "not_modified data=kept loading=false",
            ])
        #expect(hooks.lines == ["completion", "success kept", "not_modified"])
        #expect(cache.calls.lines == ["cache read a", "cache update_timestamp a 1000000"])
        #expect(cache.entities["a"]?.timestamp == 1_000_000)
    }

    @Test func `5.12 after a fresh hit there is nothing to load`() throws {
        let (resource, _) = try resource(cached: "kept")
        _ = resource.latestData
        fixture.settle()
        #expect(resource.loadIfNeeded() == nil)
        fixture.advance(31)
        #expect(resource.loadIfNeeded() != nil)
        #expect(fixture.transport.requests.count == 1)
        fixture.settle()
    }

    @Test func `5.3 D3 a load that was first is joined, look-up or not`() throws {
        let (resource, _) = try resource(cached: "kept")
        let load = resource.load()
        #expect(resource.loadIfNeeded() === load)
        fixture.settle()
    }

    @Test func `5.7 D3 without a cache the request and its event are immediate`() throws {
        try fixture.stub("GET", "a", .text(200, "net"))
        let resource = fixture.resource("a")
        watch(resource)
        let request = resource.loadIfNeeded()
        #expect(request != nil && events.lines == ["requested data= loading=true"])
        #expect(fixture.transport.requests.count == 1)
        fixture.settle()
    }

    @Test func `D3 after the look-up the request and its event are immediate again`() throws {
        let (resource, _) = try resource()
        _ = resource.latestData
        fixture.settle()
        watch(resource)
        resource.loadIfNeeded()
        #expect(events.lines == ["requested data= loading=true"])
        fixture.settle()
    }

    @Test func `5.3 a load that starts during the look-up is joined, not doubled`() throws {
        let (resource, _) = try resource(read: .after(1))
        try fixture.stub("GET", "a", .text(200, "net", delay: .seconds(2)))
        hooks.follow(try #require(resource.loadIfNeeded()))
        resource.load()
        fixture.settle()
        fixture.advance(1)
        #expect(fixture.transport.requests.count == 1 && resource.loadRequests.count == 1)
        fixture.advance(1)
        #expect(hooks.lines == ["completion", "success net", "new_data"])
    }

    @Test func `5.6 22.11 data that came during the look-up is what it ends with`() throws {
        let (resource, _) = try resource(cached: "kept", read: .after(1))
        watch(resource)
        hooks.follow(try #require(resource.loadIfNeeded()))
        resource.overrideLocalContent(.text("mine"))
        fixture.settle()
        fixture.advance(1)
        #expect(
            events.lines == [
                "new_data(local_override) data=mine loading=true", "not_modified data=mine loading=false",
            ])
        #expect(hooks.lines == ["completion", "success mine", "new_data"])
        fixture.advance(31)
        watch(resource)
        _ = events.take()
        resource.loadIfNeeded()
        #expect(events.lines == ["requested data=mine loading=true"])
        fixture.settle()
    }

    @Test func `inside the retry time the look-up ends with the error of the load that was faster`() throws {
        let (resource, _) = try resource(read: .after(1))
        try fixture.stub("GET", "a", .response(500))
        watch(resource)
        hooks.follow(try #require(resource.loadIfNeeded()))
        resource.load()
        fixture.settle()
        fixture.advance(1)
        #expect(
            events.lines == [
                "requested data= loading=true", "error data= loading=true", "error data= loading=false",
            ])
        #expect(hooks.lines == ["completion", "failure Internal server error"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `D6 cancelling it during the look-up leaves the look-up alone`() throws {
        let (resource, _) = try resource(cached: "kept", read: .after(1))
        watch(resource)
        let request = try #require(resource.loadIfNeeded())
        hooks.follow(request)
        request.cancel()
        #expect(request.isCancelled)
        fixture.settle()
        #expect(events.take() == ["request_cancelled data= loading=false"])
        #expect(hooks.lines == ["cancellation", "failure Request cancelled"])
        fixture.advance(1)
        #expect(events.lines == ["new_data(cache) data=kept loading=false"])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `D6 cancelling it later cancels the load that it waits for`() throws {
        let (resource, _) = try resource()
        try fixture.stub("GET", "a", .text(200, "net", delay: .seconds(1)))
        watch(resource)
        let request = try #require(resource.loadIfNeeded())
        hooks.follow(request)
        fixture.settle()
        request.cancel()
        fixture.settle()
        #expect(events.lines == ["requested data= loading=true", "request_cancelled data= loading=false"])
        #expect(hooks.lines == ["cancellation", "failure Request cancelled"])
        #expect(fixture.transport.transfersInFlight == 0)
        fixture.advance(1)
    }

    @Test
    func `21.5 44.5 a reader offline that waits for the look-up during a wipe gets what comes after it`()
        throws
    {
        let (resource, cache) = try resource(cached: "kept", read: .after(1))
        fixture.engine.isOffline = true
        var codes: [String?] = []
        resource.read { if case .failure(let error) = $0 { codes.append(error.code) } }
        resource.wipe()
        fixture.advance(1)
        fixture.advance(1)
        #expect(codes == ["offline"])
        #expect(cache.calls.lines == ["cache remove a", "cache read a"])
    }

    @Test func `21.5 a wipe during the look-up cancels what waits, and looks again`() throws {
        let (resource, cache) = try resource(cached: "kept", read: .after(1))
        watch(resource)
        hooks.follow(try #require(resource.loadIfNeeded()))
        resource.wipe()
        #expect(events.lines == ["new_data(wipe) data= loading=true"])
        fixture.advance(1)
        fixture.advance(1)
        #expect(
            events.lines == ["new_data(wipe) data= loading=true", "request_cancelled data= loading=false"])
        #expect(hooks.lines == ["cancellation", "failure Request cancelled: its resource was wiped"])
        #expect(cache.calls.lines == ["cache remove a", "cache read a"])
        #expect(resource.latestData == nil)
    }

    @Test func `9.5 a repeat of it goes to the network, and is no load`() throws {
        let (resource, _) = try resource(cached: "kept")
        let request = try #require(resource.loadIfNeeded())
        fixture.settle()
        let repeated = request.repeated()
        #expect(repeated.state == .notStarted && fixture.transport.requests.isEmpty)
        hooks.follow(repeated.start())
        fixture.settle()
        #expect(hooks.lines == ["completion", "success net", "new_data"])
        #expect(resource.latestData?.content.text == "kept")
    }

    @Test func `7.2 nobody needs to keep the request`() throws {
        let (resource, _) = try resource()
        resource.loadIfNeeded()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net")
        #expect(fixture.engine.openRequests == 0)
    }

    @Test func `an observer that loads at the hit is joined`() throws {
        let (resource, _) = try resource(cached: "kept", age: 100)
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { [unowned resource] _, text in
            if text.hasSuffix("new_data(cache)") { resource.load() }
        }
        hooks.follow(try #require(resource.loadIfNeeded()))
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        #expect(hooks.lines == ["completion", "success net", "new_data"])
    }

    @Test func `an observer that wipes at the hit cancels it`() throws {
        let (resource, cache) = try resource(cached: "kept")
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = { [unowned resource] _, text in
            if text.hasSuffix("new_data(cache)") { resource.wipe() }
        }
        hooks.follow(try #require(resource.loadIfNeeded()))
        fixture.settle()
        #expect(hooks.lines == ["cancellation", "failure Request cancelled: its resource was wiped"])
        #expect(resource.latestData == nil && cache.entities.isEmpty)
    }
}
