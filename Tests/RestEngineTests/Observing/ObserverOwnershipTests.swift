import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ObserverOwnershipTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private var resource: Resource { fixture.resource("a") }

    private func change() { resource.overrideLocalContent(.text("x")) }

    @Test func `13.1 13.20 all forms of adding work and give the resource back`() {
        let owner = Owner()
        let observer = NotingObserver(journal)
        let result = resource.addObserver(observer)
            .addObserver(NotingObserver(journal, "owned"), owner: owner)
            .addObserver(owner: owner) { [journal] _, event in journal.note("closure \(event.name)") }
        #expect(result === resource)
        _ = journal.take()
        change()
        #expect(
            journal.take() == ["o", "owned", "closure"].map { "\($0) new_data(local_override)" })
    }

    @Test func `13.2 progress and the end need not be of interest`() {
        final class Modest: ResourceObserver {
            var events = 0
            func changed(_ resource: Resource, _ event: ResourceEvent) { events += 1 }
        }
        let observer = Modest()
        resource.addObserver(observer)
        resource.load().cancel()
        fixture.settle()
        resource.removeObservers(ownedBy: observer)
        fixture.settle()
        #expect(observer.events == 3)
    }

    @Test func `13.12 the same observer twice is one, and is notified of its adding once`() {
        let observer = NotingObserver(journal)
        let owner = Owner()
        resource.addObserver(observer).addObserver(observer).addObserver(observer, owner: owner)
        #expect(journal.take() == ["o observer_added"])
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
    }

    @Test func `13.12 closures repeat`() {
        let owner = Owner()
        let closure: @EngineActor (Resource, ResourceEvent) -> Void = { [journal] _, event in
            journal.note(event.name)
        }
        resource.addObserver(owner: owner, closure).addObserver(owner: owner, closure)
        #expect(journal.take() == ["observer_added", "observer_added"])
    }

    @Test func `13.12 among many observers the same one is found too`() {
        let observers = (0..<40).map { NotingObserver(journal, "\($0)") }
        for observer in observers + observers { resource.addObserver(observer) }
        #expect(journal.take().count == 40)
        for observer in observers[5..<40] { resource.removeObservers(ownedBy: observer) }
        fixture.settle()
        _ = journal.take()
        for observer in observers { resource.addObserver(observer) }
        #expect(journal.take() == (5..<40).map { "\($0) observer_added" })
    }

    @Test func `13.13 an observer that owns itself is not kept, and goes in silence`() {
        var observer: NotingObserver? = NotingObserver(journal)
        weak let weakly = observer
        resource.addObserver(observer!)
        change()
        _ = journal.take()
        observer = nil
        #expect(weakly == nil)
        change()
        fixture.settle()
        #expect(journal.take() == [])
        #expect(!resource.isObserved)
    }

    @Test func `13.14 an owner keeps the observer, and its end is notified`() {
        var owner: Owner? = Owner()
        weak let weakOwner = owner
        weak var observer: NotingObserver?
        do {
            let strong = NotingObserver(journal)
            observer = strong
            resource.addObserver(strong, owner: owner!)
        }
        change()
        #expect(journal.take() == ["o observer_added", "o new_data(local_override)"])
        owner = nil
        #expect(weakOwner == nil && observer != nil)
        change()
        #expect(journal.take() == ["o stopped"])
        #expect(observer == nil)
    }

    @Test func `13.15 an observation lasts until every owner is gone or removed`() {
        var first: Owner? = Owner()
        let (second, third) = (Owner(), Owner())
        let observer = NotingObserver(journal)
        for owner in [first!, second, third] { resource.addObserver(observer, owner: owner) }
        _ = journal.take()
        first = nil
        resource.removeObservers(ownedBy: second)
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
        resource.removeObservers(ownedBy: third)
        change()
        #expect(journal.take() == ["o stopped"])
    }

    @Test func `13.15 an observer of its own with another owner goes on without that, weakly held`() {
        var observer: NotingObserver? = NotingObserver(journal)
        weak let weakly = observer
        var owner: Owner? = Owner()
        resource.addObserver(observer!).addObserver(observer!, owner: owner!)
        observer = nil
        change()
        #expect(journal.take() == ["o observer_added", "o new_data(local_override)"])
        observer = weakly
        owner = nil
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
        observer = nil
        #expect(weakly == nil)
        change()
        #expect(journal.take() == [])
    }

    @Test func `13.16 removing takes one owner's observers alone, and nil takes none`() {
        let (first, second) = (Owner(), Owner())
        resource.addObserver(NotingObserver(journal, "a"), owner: first)
            .addObserver(NotingObserver(journal, "b"), owner: second)
            .addObserver(NotingObserver(journal, "c"), owner: first)
        _ = journal.take()
        resource.removeObservers(ownedBy: nil)
        resource.removeObservers(ownedBy: Owner())
        change()
        #expect(journal.take().count == 3)
        resource.removeObservers(ownedBy: first)
        change()
        #expect(journal.take() == ["a stopped", "c stopped", "b new_data(local_override)"])
    }

    @Test func `13.16 an observer that owned itself and is removed is notified`() {
        let observer = NotingObserver(journal)
        resource.addObserver(observer)
        resource.removeObservers(ownedBy: observer)
        fixture.settle()
        #expect(journal.take() == ["o observer_added", "o stopped"])
    }

    @Test func `13.17 the end is notified in the next tick if nothing comes before`() {
        let owner = Owner()
        resource.addObserver(NotingObserver(journal), owner: owner)
        resource.removeObservers(ownedBy: owner)
        #expect(journal.take() == ["o observer_added"])
        fixture.runTick()
        #expect(journal.take() == ["o stopped"])
    }

    @Test(arguments: ["event", "progress", "check", "flush", "add"])
    func `13.17 23.6 what comes before the next tick tells the end first`(occasion: String) throws {
        let resource = resource
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let load = resource.load()
        let owner = Owner()
        resource.addObserver(NotingObserver(journal), owner: owner)
        let other = NotingObserver(journal, "other")
        resource.addObserver(other)
        fixture.settle()
        if occasion == "progress" { load.cancel() }
        _ = journal.take()
        resource.removeObservers(ownedBy: owner)
        switch occasion {
        case "event": change()
        case "progress": fixture.runTick()
        case "check": #expect(resource.isObserved)
        case "flush": fixture.service.flushUnusedResources()
        default: resource.addObserver(NotingObserver(journal, "new"))
        }
        #expect(journal.lines.first == "o stopped")
        #expect(!journal.lines.dropFirst().contains { $0.hasPrefix("o ") })
        resource.removeObservers(ownedBy: other)
        load.cancel()
        fixture.settle()
    }

    @Test func `13.17 progress does not reach a removed observer`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let owner = Owner()
        let observer = NotingObserver(journal)
        resource.addObserver(observer, owner: owner)
        resource.load().onProgress { [journal] _ in journal.note("request's own") }
        _ = journal.take()
        resource.removeObservers(ownedBy: owner)
        fixture.settle()
        #expect(journal.take() == ["o stopped", "request's own"])
    }

    @Test func `13.17 an owner's death is noticed a tick after another observer came`() {
        var owner: Owner? = Owner()
        resource.addObserver(NotingObserver(journal), owner: owner!)
        fixture.settle()
        owner = nil
        let other = NotingObserver(journal, "other")
        resource.addObserver(other)
        fixture.runTick()
        #expect(journal.take() == ["o observer_added", "other observer_added", "o stopped"])
    }

    @Test func `13.18 one that is removed and added again ends first and begins anew`() {
        let owner = Owner()
        let observer = NotingObserver(journal)
        for _ in 0..<2 {
            resource.addObserver(observer, owner: owner)
            resource.removeObservers(ownedBy: owner)
            resource.addObserver(observer, owner: owner)
            #expect(journal.take().suffix(2) == ["o stopped", "o observer_added"])
        }
        fixture.settle()
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
    }

    @Test func `13.18 the same after the owner died`() {
        var owner: Owner? = Owner()
        let observer = NotingObserver(journal)
        resource.addObserver(observer, owner: owner!)
        owner = nil
        resource.addObserver(observer)
        #expect(journal.take() == ["o observer_added", "o stopped", "o observer_added"])
    }

    @Test func `13.19 an owner that comes later keeps the observer again`() {
        var first: Owner? = Owner()
        let second = Owner()
        weak var weakly: NotingObserver?
        do {
            let observer = NotingObserver(journal)
            weakly = observer
            resource.addObserver(observer).addObserver(observer, owner: first!)
            first = nil
            #expect(resource.isObserved)
            resource.addObserver(observer, owner: second)
        }
        #expect(weakly != nil)
        #expect(journal.take() == ["o observer_added"])
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
    }

    @Test func `13.22 losing the observers does not stop a load`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var owner: Owner? = Owner()
        resource.addObserver(NotingObserver(journal), owner: owner!)
        let load = resource.load()
        owner = nil
        fixture.settle()
        #expect(journal.take() == ["o observer_added", "o requested", "o stopped"])
        #expect(!load.isCancelled && resource.latestData?.content.text == "x")
    }
}
