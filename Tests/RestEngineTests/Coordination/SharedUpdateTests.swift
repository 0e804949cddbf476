import TestSupport
import Testing

@testable import RestEngine

/// Observers of one host see the data that another host loads.
@Suite @EngineActor
struct SharedUpdateTests {
    private let hosts = [EngineFixture(), EngineFixture()]
    private let leases = FakeLeases()
    private let events = [Journal(), Journal()]

    init() throws {
        for (fixture, text) in zip(hosts, ["one", "two"]) {
            fixture.engine.coordination = leases
            try fixture.stub("GET", "a", .text(200, text, delay: .seconds(2)))
        }
    }

    private func share() throws {
        for fixture in hosts { try fixture.configure { $0.configuration.sharesLoads = true } }
    }

    private func cache() throws -> FakeSharedCache {
        let cache = FakeSharedCache()
        for fixture in hosts { try fixture.cache([("cleanup", cache)]) }
        return cache
    }

    private func resource(_ host: Int) -> Resource { hosts[host].resource("a") }

    private func observe(_ host: Int) {
        resource(host).addObserver(owner: leases) { [events] resource, event in
            guard case .newData = event else { return }
            events[host].note("\(event.name) \(resource.latestData?.content.text ?? "nothing")")
        }
        hosts[host].settle()
    }

    private func advance(_ seconds: Double) {
        for fixture in hosts { fixture.advance(seconds) }
    }

    private func load(_ host: Int) {
        resource(host).loadIfNeeded()
        hosts[host].settle()
        advance(2)
    }

    private var requests: [Int] { hosts.map(\.transport.requests.count) }

    private func leave() {
        for host in 0...1 { resource(host).removeObservers(ownedBy: leases) }
        advance(0)
    }

    @Test func `An observer sees the data that another host loads`() throws {
        try share()
        observe(1)
        load(0)
        #expect(events[1].lines == ["new_data(network) one"])
        #expect(requests == [1, 0] && resource(1).isUpToDate && !resource(1).isLoading)
        leave()
    }

    @Test func `Without observers a host takes nothing`() throws {
        try share()
        observe(1)
        leave()
        load(0)
        #expect(resource(1).latestData == nil)
    }

    @Test func `Loads that hosts do not share stay apart`() throws {
        observe(1)
        load(0)
        #expect(events[1].lines.isEmpty && requests == [1, 0])
        leave()
    }

    @Test func `A demanded load is announced once its entry is written`() throws {
        let cache = try cache()
        observe(0)
        observe(1)
        resource(0).load()
        advance(2)
        #expect(events.map(\.lines) == [["new_data(network) one"], ["new_data(network) one"]])
        #expect(leases.ends.lines == ["announced"] && cache.entities.count == 1)
        resource(1).load()
        advance(2)
        #expect(events[0].lines == events[1].lines && events[0].lines.last == "new_data(network) two")
        leave()
    }

    @Test func `A failed load and a confirmed one are not announced`() throws {
        _ = try cache()
        observe(1)
        try hosts[0].stub("GET", "a", .text(500, "broken"))
        resource(0).load()
        advance(0)
        try hosts[0].stub("GET", "a", .response(304))
        resource(0).load()
        advance(0)
        #expect(leases.ends.lines.isEmpty && events[1].lines.isEmpty)
        leave()
    }

    @Test func `Older data does not replace newer data`() throws {
        let cache = try cache()
        observe(0)
        observe(1)
        cache.hold()
        resource(0).load()
        advance(2)
        advance(1)
        #expect(cache.heldReads == 1)
        resource(1).overrideLocalContent(.text("mine"))
        cache.go()
        advance(0)
        #expect(events[1].lines == ["new_data(local_override) mine"])
        leave()
    }

    @Test(arguments: ["invalidate", "outdate", "wipe", "override"])
    func `A change ends data that is on its way`(_ change: String) throws {
        let cache = try cache()
        observe(1)
        let resource = resource(1)
        // The first host has looked into the cache before its load.
        observe(0)
        cache.hold()
        self.resource(0).load()
        advance(2)
        switch change {
        case "invalidate": resource.invalidateHere(includingShared: false)
        case "outdate": resource.outdateHere(includingShared: false)
        case "wipe": resource.wipeHere(includingShared: false)
        default: resource.overrideLocalContent(.text("mine"))
        }
        #expect(cache.heldReads >= 1)
        cache.go()
        advance(0)
        #expect(!events[1].lines.contains("new_data(network) one"))
        leave()
    }

    @Test func `The load in flight of an observing host replaces the data of another`() throws {
        try share()
        observe(1)
        resource(1).load()
        hosts[1].advance(1)
        resource(0).loadIfNeeded()
        hosts[0].settle()
        hosts[0].advance(2)
        hosts[1].advance(0)
        #expect(events[1].lines == ["new_data(network) one"] && resource(1).isLoading)
        hosts[1].advance(1)
        #expect(events[1].lines.last == "new_data(network) two")
        leave()
    }

    @Test func `Of hosts that refresh observed data one loads`() throws {
        try share()
        for fixture in hosts {
            try fixture.configure {
                $0.configuration.expirationSeconds = 3
                $0.configuration.refreshSeconds = 5
            }
            try fixture.stub("GET", "a", .text(200, "same"))
        }
        observe(0)
        load(0)
        observe(1)
        load(1)
        for _ in 0..<40 { advance(1) }
        #expect(requests.reduce(0, +) <= 12)
        #expect(abs(events[0].lines.count - events[1].lines.count) <= 1)
        leave()
    }

    @Test func `A host that is offline takes nothing`() throws {
        try share()
        observe(1)
        hosts[1].engine.isOffline = true
        load(0)
        #expect(events[1].lines.isEmpty)
        leave()
    }

    @Test func `A resource is followed when a new configuration shares it`() throws {
        observe(1)
        try share()
        hosts[1].service.followOthers()
        load(0)
        #expect(events[1].lines == ["new_data(network) one"])
        leave()
    }

    @Test func `New data clears the error of the host's own load`() throws {
        try share()
        try hosts[1].stub("GET", "a", .text(500, "broken"))
        observe(1)
        resource(1).load()
        advance(0)
        #expect(resource(1).latestError != nil)
        load(0)
        #expect(resource(1).latestError == nil && resource(1).isUpToDate)
        leave()
    }
}
