import RestEngine
import TestSupport
import Testing

/// 13.23: observers change the resource while they are notified.
@Suite(.leakChecked) @EngineActor
struct ObserverReentryTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private var resource: Resource { fixture.resource("a") }

    private func change(_ text: String = "x") { resource.overrideLocalContent(.text(text)) }

    @Test func `an observer that is added meanwhile hears of nothing but its adding`() {
        let (observer, late) = (NotingObserver(journal), NotingObserver(journal, "late"))
        resource.addObserver(observer)
        observer.onEvent = { resource, event in
            if event != .observerAdded { resource.addObserver(late) }
        }
        _ = journal.take()
        change()
        #expect(journal.take() == ["o new_data(local_override)", "late observer_added"])
        change()
        #expect(journal.take() == ["o new_data(local_override)", "late new_data(local_override)"])
    }

    @Test func `an observer that is removed meanwhile hears of nothing more`() {
        let (first, second) = (NotingObserver(journal), NotingObserver(journal, "second"))
        resource.addObserver(first).addObserver(second)
        first.onEvent = { resource, _ in resource.removeObservers(ownedBy: second) }
        _ = journal.take()
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
        fixture.settle()
        #expect(journal.take() == ["second stopped"])
    }

    @Test func `one that is removed and added again meanwhile hears of its adding alone`() {
        let (first, second) = (NotingObserver(journal), NotingObserver(journal, "second"))
        resource.addObserver(first).addObserver(second)
        first.onEvent = { resource, _ in
            resource.removeObservers(ownedBy: second)
            resource.addObserver(second)
        }
        _ = journal.take()
        change()
        #expect(journal.take() == ["o new_data(local_override)", "second stopped", "second observer_added"])
    }

    @Test func `a change made in the middle is reported in the middle`() {
        let (first, second) = (NotingObserver(journal), NotingObserver(journal, "second"))
        resource.addObserver(first).addObserver(second)
        first.onEvent = { resource, event in
            if event == .newData(.localOverride) { resource.wipe() }
        }
        _ = journal.take()
        change()
        #expect(
            journal.take() == [
                "o new_data(local_override)", "o new_data(wipe)", "second new_data(wipe)",
                "second new_data(local_override)",
            ])
    }

    @Test func `adding again at the end begins a new observation`() {
        let owner = Owner()
        let observer = NotingObserver(journal)
        resource.addObserver(observer, owner: owner)
        var times = 0
        observer.onStop = { [unowned observer] resource in
            times += 1
            if times == 1 { resource.addObserver(observer, owner: owner) }
        }
        resource.removeObservers(ownedBy: owner)
        fixture.settle()
        #expect(journal.take() == ["o observer_added", "o stopped", "o observer_added"])
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
        resource.removeObservers(ownedBy: owner)
        fixture.settle()
        #expect(journal.take() == ["o stopped"])
    }

    @Test func `observers that change the resource without end are stopped with a warning`() {
        let observers = [NotingObserver(journal), NotingObserver(journal)]
        for observer in observers {
            resource.addObserver(observer)
            observer.onEvent = { resource, event in
                if event != .observerAdded { resource.overrideLocalContent(.text("again")) }
            }
        }
        observers[1].onEvent = nil
        _ = journal.take()
        change()
        #expect(journal.take().count == 40)
        #expect(fixture.log.count == 1)
        #expect(
            fixture.log.first?.text
                == "https://api.test/v1/a: its observers change it at each notification; 20 nested"
                + " changes are reported, further ones are not")
    }

    @Test func `several changes for each reported one don't multiply, and are reported again later`() {
        let (observer, other) = (NotingObserver(journal), NotingObserver(journal, "second"))
        resource.addObserver(observer).addObserver(other)
        observer.onEvent = { resource, event in
            guard event != .observerAdded else { return }
            resource.wipe()
            resource.overrideLocalContent(.text("again"))
        }
        _ = journal.take()
        change()
        #expect(journal.take().count <= 50)
        change()
        #expect(journal.take() == ["o new_data(local_override)", "second new_data(local_override)"])
        #expect(fixture.log.count == 1)
        observer.onEvent = { resource, event in
            if event == .newData(.localOverride), resource.text == "x" { resource.wipe() }
        }
        change("y")
        _ = journal.take()
        change()
        #expect(
            journal.take() == [
                "o new_data(local_override)", "o new_data(wipe)", "second new_data(wipe)",
                "second new_data(local_override)",
            ])
    }

    @Test func `an observer may drop the last owner of all in the middle`() {
        final class Holder { var owner: Owner? = Owner() }
        let holder = Holder()
        let observer = NotingObserver(journal)
        observer.onEvent = { _, event in if event != .observerAdded { holder.owner = nil } }
        resource.addObserver(observer, owner: holder.owner!)
        resource.addObserver(owner: holder.owner!) { [journal] _, event in
            journal.note("second \(event.name)")
        }
        _ = journal.take()
        change()
        #expect(journal.take() == ["o new_data(local_override)"])
        #expect(!resource.isObserved)
        #expect(journal.take() == ["o stopped"])
        observer.onEvent = nil
    }
}
