import RestEngine
import TestSupport
import Testing

/// The effect of observers on loads and on memory.
@Suite(.leakChecked) @EngineActor
struct UnobservedTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private var service: Service { fixture.service }

    private func loading() throws -> (Resource, Request) {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        return (resource, resource.load())
    }

    // MARK: 5.19, 5.20

    @Test func `5.19 without observers every load is cancelled, other requests go on`() throws {
        let (resource, load) = try loading()
        try fixture.stub("POST", "*", .text(200, "x"))
        let post = resource.request("POST")
        let foreign = resource.load(using: fixture.resource("b").request("POST"))
        let second = resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(load.isCancelled && second.isCancelled && foreign.isCancelled && !post.isCancelled)
        fixture.settle()
        #expect(!resource.isLoading && post.state == .completed && !post.isCancelled)
        resource.cancelLoadIfUnobserved()
    }

    @Test func `5.19 with an observer nothing happens, one whose owner died is none`() throws {
        let (resource, load) = try loading()
        var owner: Owner? = Owner()
        resource.addObserver(NotingObserver(journal), owner: owner!)
        resource.cancelLoadIfUnobserved()
        #expect(!load.isCancelled)
        owner = nil
        resource.cancelLoadIfUnobserved()
        #expect(load.isCancelled)
        fixture.settle()
        #expect(journal.take() == ["o observer_added", "o stopped"])
    }

    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `5.20 after a delay, who observes then counts`(before: Bool, after: Bool) throws {
        let (resource, load) = try loading()
        let observer = NotingObserver(journal)
        if before { resource.addObserver(observer) }
        resource.cancelLoadIfUnobserved(after: .seconds(1)) { [journal] in
            journal.note("checked \(load.isCancelled)")
        }
        fixture.advance(0.5)
        if before, !after { resource.removeObservers(ownedBy: observer) }
        if after, !before { resource.addObserver(observer) }
        fixture.advance(0.4)
        #expect(!load.isCancelled)
        #expect(!journal.take().contains { $0.hasPrefix("checked") })
        fixture.advance(0.2)
        #expect(journal.take().contains("checked \(!after)"))
        #expect(load.isCancelled == !after)
        load.cancel()
        fixture.settle()
    }

    @Test func `5.20 a cancelled timer checks nothing`() throws {
        let (resource, load) = try loading()
        resource.cancelLoadIfUnobserved(after: .seconds(1)) { [journal] in journal.note("checked") }.cancel()
        fixture.advance(2)
        #expect(!load.isCancelled && journal.lines.isEmpty)
        load.cancel()
        fixture.settle()
    }

    // MARK: 2.8, 23.6

    @Test func `2.8 23.6 a resource with a live observer survives every flush`() {
        var owner: Owner? = Owner()
        weak var weakly: Resource?
        do {
            let resource = service.resource("a")
            weakly = resource
            resource.addObserver(NotingObserver(journal), owner: owner!)
        }
        service.flushUnusedResources()
        service.flushUnusedResources()
        #expect(weakly != nil && service.resource("a") === weakly)
        _ = journal.take()
        owner = nil
        service.flushUnusedResources()
        #expect(journal.take() == ["o stopped"])
        #expect(weakly == nil)
    }

    @Test func `2.8 a resource that is observed after a flush stays too`() {
        let owner = Owner()
        weak var weakly: Resource?
        do {
            let resource = service.resource("a")
            weakly = resource
            service.flushUnusedResources()
            resource.addObserver(NotingObserver(journal), owner: owner)
        }
        #expect(weakly != nil)
        weakly?.removeObservers(ownedBy: owner)
        fixture.settle()
        service.flushUnusedResources()
        #expect(weakly == nil)
    }

    @Test func `2.8 invalid resources too, which no table lists`() {
        var owner: Owner? = Owner()
        weak var weakly: Resource?
        do {
            let resource = service.resource(absoluteURL: "http://[")
            weakly = resource
            resource.addObserver(owner: owner!) { _, _ in }.addObserver(owner: owner!) { _, _ in }
        }
        service.flushUnusedResources()
        #expect(weakly != nil)
        owner = nil
        service.flushUnusedResources()
        #expect(weakly == nil)
    }

    @Test func `23.3 23.6 the limit drops nothing that is observed`() {
        service.cachedResourceCountLimit = 3
        let owner = Owner()
        for number in 0..<5 { service.resource("\(number)").addObserver(owner: owner) { _, _ in } }
        for number in 5..<10 { _ = service.resource("\(number)") }
        let live = Set(service.liveResources.map(\.urlString))
        #expect(live.isSuperset(of: (0..<5).map { "https://api.test/v1/\($0)" }))
        #expect(live.count == 6)
    }

    @Test func `23.6 an observer that asks for the same resource at its end gets the one there is`() {
        service.cachedResourceCountLimit = 2
        var owner: Owner? = Owner()
        let observer = NotingObserver(journal)
        observer.onStop = { resource in _ = resource.service.resource("new") }
        for path in ["a", "b"] { service.resource(path).addObserver(observer, owner: owner!) }
        owner = nil
        let new = service.resource("new")
        #expect(service.resource("new") === new)
        #expect(service.liveResources.count == 1)
    }

    @Test func `1.11 2.8 wiping all drops the unused and wipes the observed`() {
        let observer = NotingObserver(journal)
        service.resource("a").addObserver(observer)
        _ = service.resource("b")
        _ = journal.take()
        service.wipeResources()
        #expect(journal.take() == ["o new_data(wipe)"])
        #expect(service.liveResources.map(\.urlString) == ["https://api.test/v1/a"])
    }
}
