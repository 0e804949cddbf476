import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ObserverEventTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func observe(_ resource: Resource) -> NotingObserver {
        let observer = NotingObserver(journal)
        resource.addObserver(observer)
        _ = journal.take()
        return observer
    }

    /// Notes each event with the state that the observer sees.
    private func noteStates(of resource: Resource, owner: Owner) {
        resource.addObserver(owner: owner) { [journal] resource, event in
            journal.note(
                "\(event.name) \(resource.isLoading ? "loading" : "idle") "
                    + "\(resource.latestData?.content.text ?? "-") \(resource.latestError?.code ?? "-")")
        }
    }

    @Test func `13.4 observer_added comes at once, to the new observer alone`() {
        let resource = fixture.resource("a")
        let first = observe(resource)
        let second = NotingObserver(journal, "second")
        resource.addObserver(second)
        #expect(journal.take() == ["second observer_added"])
        fixture.settle()
        #expect(journal.take() == [])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `13.5 the events' names`() {
        let events: [ResourceEvent] = [
            .observerAdded, .requested, .requestCancelled, .newData(.network), .newData(.cache),
            .newData(.localOverride), .newData(.wipe), .notModified, .error,
        ]
        #expect(
            events.map(\.name) == [
                "observer_added", "requested", "request_cancelled", "new_data(network)", "new_data(cache)",
                "new_data(local_override)", "new_data(wipe)", "not_modified", "error",
            ])
    }

    @Test func `13.6 what is seen at each event of a load`() throws {
        let owner = Owner()
        let resource = fixture.resource("a")
        noteStates(of: resource, owner: owner)
        try fixture.stub(
            "GET", "a",
            .response(
                headers: Headers([("ETag", "\"1\""), ("Content-Type", "text/plain")]), body: Array("x".utf8)))
        resource.load()
        fixture.settle()
        #expect(
            journal.take() == [
                "observer_added idle - -", "requested loading - -", "new_data(network) idle x -",
            ])
        fixture.advance(5)
        try fixture.stub("GET", "a", .response(500))
        resource.load()
        fixture.settle()
        #expect(journal.take() == ["requested loading x -", "error idle x http_5xx"])
        fixture.advance(5)
        try fixture.stub("GET", "a", .response(304))
        resource.load()
        fixture.settle()
        #expect(journal.take() == ["requested loading x http_5xx", "not_modified idle x -"])
        #expect(resource.timestamp == 1_000_010)
        resource.load().cancel()
        fixture.settle()
        #expect(journal.take() == ["requested loading x -", "request_cancelled idle x -"])
        #expect(resource.timestamp == 1_000_010)
    }

    @Test func `13.7 a load that ends while another runs leaves the resource loading`() throws {
        let owner = Owner()
        let resource = fixture.resource("a")
        noteStates(of: resource, owner: owner)
        try fixture.stub("GET", "a", .text(200, "x"))
        resource.load()
        let held = try fixture.stub("GET", "a", isHeld: true, .text(200, "y"))
        resource.load()
        _ = journal.take()
        fixture.settle()
        #expect(journal.take() == ["new_data(network) loading x -"])
        held.go()
        fixture.settle()
        #expect(journal.take() == ["new_data(network) idle y -"])
    }

    @Test func `13.8 4.16 a plain request tells nothing`() throws {
        let resource = fixture.resource("a")
        let observer = observe(resource)
        try fixture.stub("POST", "a", .text(200, "x"))
        try fixture.stub("DELETE", "a", .response(500))
        resource.request("POST")
        resource.request("DELETE")
        resource.request("POST").cancel()
        fixture.settle()
        #expect(journal.take() == [])
        withExtendedLifetime(observer) {}
    }

    @Test func `13.9 an override is one event, notified before the call returns`() {
        let resource = fixture.resource("a")
        let observer = observe(resource)
        resource.overrideLocalContent(.text("local"))
        #expect(journal.take() == ["o new_data(local_override)"])
        fixture.settle()
        #expect(journal.take() == [])
        withExtendedLifetime(observer) {}
    }

    @Test func `13.10 304 without data is an error`() throws {
        let resource = fixture.resource("a")
        let observer = observe(resource)
        try fixture.stub("GET", "a", .response(304))
        resource.load()
        fixture.settle()
        #expect(journal.take() == ["o requested", "o progress 1.0", "o error"])
        withExtendedLifetime(observer) {}
    }

    @Test func `13.11 D8 observers are notified inside the change, in the order of adding`() {
        let resource = fixture.resource("a")
        let owner = Owner()
        for number in 0..<40 {
            resource.addObserver(owner: owner) { [journal] _, event in journal.note("\(number) \(event.name)")
            }
        }
        _ = journal.take()
        resource.overrideLocalContent(.text("x"))
        #expect(journal.take() == (0..<40).map { "\($0) new_data(local_override)" })
    }

    @Test func `30 5.13 12.6 a load's progress of 1 comes to the observers before everything else`() throws {
        let journal = journal
        try fixture.configure { draft in
            draft.configuration.decorators.append { _, request in
                request.onCompletion { _ in journal.note("decorator") }
            }
        }
        let resource = fixture.resource("a")
        let observer = observe(resource)
        try fixture.stub("GET", "a", .text(200, "x"))
        resource.load().onCompletion { [journal] _ in journal.note("caller") }
        fixture.settle()
        #expect(
            journal.take() == [
                "o requested", "o progress 1.0", "decorator", "o new_data(network)", "caller",
            ])
        withExtendedLifetime(observer) {}
    }

    @Test func `5.13 12.6 load(using:) forwards the progress of a foreign request, request() none`() throws {
        let (resource, other) = (fixture.resource("a"), fixture.resource("b"))
        let observer = observe(resource)
        try fixture.stub("POST", "b", .text(200, "x"))
        resource.load(using: other.request("POST"))
        resource.request("POST").cancel()
        fixture.settle()
        #expect(journal.take() == ["o requested", "o progress 1.0", "o new_data(network)"])
        resource.load(using: other.failedRequest(.requestCancelled, method: "GET"))
        #expect(journal.take() == ["o requested"])
        fixture.settle()
        #expect(journal.take() == ["o progress 1.0", "o request_cancelled"])
        withExtendedLifetime(observer) {}
    }

    @Test func `12.6 an observer that comes while a load runs hears of its progress, once`() throws {
        let resource = fixture.resource("a")
        try fixture.stub("GET", "a", .text(200, "x"))
        resource.load()
        for _ in 0..<2 {
            let observer = observe(resource)
            resource.removeObservers(ownedBy: observer)
            #expect(!resource.isObserved)
        }
        let observer = observe(resource)
        fixture.settle()
        #expect(journal.take() == ["o progress 1.0", "o new_data(network)"])
        withExtendedLifetime(observer) {}
    }

    @Test func `21.5 30 a wipe tells new_data(wipe) at once and the cancelled loads a tick later`() throws {
        let owner = Owner()
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("x"))
        noteStates(of: resource, owner: owner)
        try fixture.stub("GET", "a", isHeld: true, .text(200, "y"))
        resource.load()
        resource.load()
        _ = journal.take()
        resource.wipe()
        #expect(journal.take() == ["new_data(wipe) loading - -"])
        fixture.runTick()
        #expect(journal.take() == ["request_cancelled loading - -", "request_cancelled idle - -"])
        fixture.settle()
        #expect(journal.take() == [])
    }

    @Test func `a published answer is there before the observers hear of the data`() {
        let resource = fixture.resource("a")
        let answerSnapshot = resource.answerSnapshotForReaders()
        let owner = Owner()
        var seen: Bool?
        resource.addObserver(owner: owner) { _, event in
            if event == .newData(.localOverride) { seen = answerSnapshot.answer(at: 0) != nil }
        }
        resource.overrideLocalContent(.text("x"))
        #expect(seen == true)
    }
}
