import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ResourceEventsTests {
    let fixture = EngineFixture()

    private func take(_ count: Int, _ events: inout ResourceEvents.Iterator?) async -> [ResourceUpdate] {
        var updates: [ResourceUpdate] = []
        while updates.count < count, let update = await events?.next(isolation: EngineActor.shared) {
            updates.append(update)
        }
        return updates
    }

    /// A dropped sequence stops observing in a later tick of the loop.
    private func drop(_ events: inout ResourceEvents.Iterator?) async {
        events = nil
        await Task.othersWait()
    }

    @Test func `28.7 each event comes with the state that it made`() async throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        var events: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .text(500, "y"))
        resource.load()
        fixture.settle()
        resource.wipe()
        let updates = await take(6, &events)
        #expect(
            updates.map(\.event.name) == [
                "observer_added", "requested", "new_data(network)", "requested", "error", "new_data(wipe)",
            ])
        #expect(updates.map(\.snapshot.text) == ["", "", "x", "x", "x", ""])
        #expect(updates.map(\.snapshot.isLoading) == [false, true, false, true, false, false])
        #expect(updates.map(\.snapshot.latestError?.httpStatusCode) == [nil, nil, nil, nil, 500, nil])
        await drop(&events)
    }

    @Test func `13.4 the first tells what is there`() async {
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("x"))
        var events: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        let first = await take(1, &events).first
        #expect(first?.event == .observerAdded && first?.snapshot.text == "x")
        await drop(&events)
    }

    @Test func `a reader that is slow gets the newest`() async {
        let resource = fixture.resource("a")
        var events: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        for number in 1...1000 { resource.overrideLocalContent(.text("\(number)")) }
        let updates = await take(ResourceEvents.bufferSize, &events)
        #expect(updates.first?.snapshot.text == "\(1001 - ResourceEvents.bufferSize)")
        #expect(updates.last?.snapshot.text == "1000")
        await drop(&events)
    }

    @Test func `a reader that blocks its thread holds no other service`() async throws {
        let resource = fixture.resource("a")
        let other = Service(engine: fixture.engine, name: "other", baseURL: fixture.service.baseURL)
        let begun = Gate()
        let held = Gate()
        let events = resource.events()
        let reader = Task.detached {
            for await _ in events {
                begun.open()
                held.wait()
            }
        }
        await begun.opened()
        try fixture.stub("GET", "b", .text(200, "x"))
        let loaded = other.resource("b")
        loaded.load()
        fixture.settle()
        #expect(loaded.text == "x")
        held.open()
        reader.cancel()
        await reader.value
        await Task.othersWait()
    }

    @Test func `a reader that waits gets each as it comes`() async throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        let task = Task {
            var names: [String] = []
            for await update in resource.events() {
                names.append(update.event.name)
                if update.event == .requested { stub.go() }
                if case .newData = update.event { break }
            }
            return names
        }
        await Task.othersWait()
        resource.load()
        #expect(await fixture.finish(task) == ["observer_added", "requested", "new_data(network)"])
        await Task.othersWait()
        #expect(!resource.isObserved)
    }

    @Test func `13.16 cancelling the reader's task ends the sequence and the observation`() async {
        let resource = fixture.resource("a")
        let task = Task {
            var count = 0
            for await _ in resource.events() { count += 1 }
            return count
        }
        await Task.othersWait()
        #expect(resource.isObserved)
        task.cancel()
        #expect(await fixture.finish(task) == 1)
        #expect(!resource.isObserved)
    }

    @Test func `a sequence that nobody reads observes until it is dropped`() async {
        let resource = fixture.resource("a")
        var events: ResourceEvents? = resource.events()
        #expect(events != nil && resource.isObserved)
        events = nil
        await Task.othersWait()
        #expect(!resource.isObserved)
    }

    @Test func `2.8 a resource whose events are read stays`() async {
        var events: ResourceEvents.Iterator? = fixture.resource("a").events().makeAsyncIterator()
        fixture.service.flushUnusedResources()
        fixture.service.resource("a").overrideLocalContent(.text("x"))
        #expect(await take(2, &events).last?.snapshot.text == "x")
        await drop(&events)
    }

    @Test func `the sequence ends when somebody removes its observer`() async {
        let resource = fixture.resource("a")
        var events: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        resource.removeObservers { _ in true }
        fixture.settle()
        #expect(await take(5, &events).map(\.event) == [.observerAdded])
        await drop(&events)
    }

    @Test func `each sequence observes for itself, in the order of making`() async {
        let resource = fixture.resource("a")
        var first: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        resource.overrideLocalContent(.text("x"))
        var second: ResourceEvents.Iterator? = resource.events().makeAsyncIterator()
        resource.wipe()
        #expect(
            await take(3, &first).map(\.event) == [.observerAdded, .newData(.localOverride), .newData(.wipe)])
        #expect(await take(2, &second).map(\.event) == [.observerAdded, .newData(.wipe)])
        await drop(&first)
        await drop(&second)
    }
}
