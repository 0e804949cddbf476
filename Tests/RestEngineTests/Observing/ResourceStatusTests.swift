import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ResourceStatusTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func text(_ state: ResourceStatus.State) -> String {
        switch state {
        case .loading: "loading"
        case .success: "success"
        case .error(let error): "error \(error.httpStatusCode ?? 0)"
        }
    }

    private func follow(_ status: ResourceStatus, _ resources: Resource...) -> ResourceStatus {
        LeakList.current?.watch(status)
        for resource in resources { resource.addObserver(status) }
        status.onChange { [journal] in journal.note(self.text($0.state)) }
        return status
    }

    @Test func `28.1 28.3 a status follows its resources, and tells each change once`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("GET", "b", .response(500))
        let (a, b) = (fixture.resource("a"), fixture.resource("b"))
        let status = follow(ResourceStatus(), a, b)
        #expect(text(status.state) == "success")
        a.load()
        b.load()
        #expect(journal.take() == ["loading"])
        fixture.settle()
        #expect(journal.take() == ["error 500"])
        b.overrideLocalContent(.text("mine"))
        a.overrideLocalContent(.text("mine"))
        #expect(journal.take() == ["success"])
    }

    @Test func `28.1 the first error in the order of adding is reported, whoever comes and goes`() throws {
        let resources = (0..<40).map { fixture.resource("\($0)") }
        for (code, resource) in resources.enumerated() {
            try fixture.stub("GET", "\(code)", .response(400 + code))
            resource.load()
        }
        fixture.settle()
        let status = ResourceStatus()
        for resource in resources { resource.addObserver(status) }
        #expect(text(status.state) == "error 400" && status.resources.count == 40)
        for resource in resources.dropLast() {
            resource.removeObservers(ownedBy: status)
            fixture.settle()
        }
        #expect(text(status.state) == "error 439" && status.resources.count == 1)
        resources[0].addObserver(status)
        #expect(text(status.state) == "error 439")
        resources[39].overrideLocalContent(.text("mine"))
        #expect(text(status.state) == "error 400")
        resources[0].overrideLocalContent(.text("mine"))
        #expect(text(status.state) == "success" && !status.isEmpty)
    }

    @Test func `a status over many resources costs each of them no more than one over few`() throws {
        let ratio = try growth(from: 500, by: 4) { count in
            let resources = (0..<count).map { fixture.resource("\($0)") }
            let status = ResourceStatus()
            for resource in resources { resource.addObserver(status) }
            for resource in resources { resource.overrideLocalContent(.text("mine")) }
            for resource in resources { resource.removeObservers(ownedBy: status) }
            fixture.settle()
        }
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `28.1 another error is another state`() throws {
        let a = fixture.resource("a")
        let status = follow(ResourceStatus(priority: [.error]), a)
        for code in [500, 404] {
            try fixture.stub("GET", "a", .response(code))
            a.load()
            fixture.advance(2)
        }
        #expect(journal.take() == ["error 500", "error 404"])
        withExtendedLifetime(status) {}
    }

    @Test func `28.2 retry loads what has an error, and counts as asked for`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("GET", "b", .response(500))
        let (a, b) = (fixture.resource("a"), fixture.resource("b"))
        a.load()
        b.load()
        fixture.settle()
        let status = follow(ResourceStatus(priority: [.manualLoading, .error, .anyData]), a, b)
        _ = journal.take()
        try fixture.stub("GET", "b", .text(200, "y"))
        let requests = fixture.transport.requests.count
        status.retry()
        #expect(journal.take() == ["loading"])
        fixture.settle()
        #expect(journal.take() == ["success"])
        #expect(fixture.transport.requests.count == requests + 1)
    }

    @Test func `D35 retry loads what has an error beside fresh data, and takes a load that is under way`()
        throws
    {
        try fixture.stub("GET", "a", .text(200, "x"))
        let a = fixture.resource("a")
        a.load()
        fixture.settle()
        try fixture.stub("GET", "a", .response(500))
        a.load()
        fixture.settle()
        #expect(a.isUpToDate && a.latestError != nil)
        let status = follow(ResourceStatus(), a)
        try fixture.stub("GET", "a", .text(200, "y", delay: .seconds(1)))
        let requests = fixture.transport.requests.count
        status.retry()
        status.retry()
        fixture.advance(1)
        #expect(a.latestError == nil && a.latestData?.content.text?.hasPrefix("y") == true)
        #expect(fixture.transport.requests.count == requests + 1)
    }

    @Test func `28.2 a load that nobody asked for is no manual one, a tracked request is`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("POST", "a", .text(200, "x"))
        let a = fixture.resource("a")
        let status = follow(ResourceStatus(priority: [.manualLoading]), a)
        a.load()
        fixture.settle()
        #expect(journal.take() == [])
        status.track(a.request("POST"))
        #expect(journal.take() == ["loading"])
        fixture.settle()
        #expect(journal.take() == ["success"])
    }

    @Test func `28.3 a resource leaves the status when it stops observing`() throws {
        try fixture.stub("GET", "a", .response(500))
        let a = fixture.resource("a")
        let status = follow(ResourceStatus(), a)
        a.load()
        fixture.settle()
        _ = journal.take()
        a.removeObservers(ownedBy: status)
        fixture.settle()
        #expect(status.resources.isEmpty)
        #expect(journal.take() == ["success"])
        a.addObserver(status).addObserver(status)
        #expect(status.resources.count == 1)
        #expect(journal.take() == ["error 500"])
    }

    @Test func `28.3 a status that nobody keeps goes away, one with an owner lives with it`() {
        let a = fixture.resource("a")
        weak var weakly: ResourceStatus?
        do {
            let status = ResourceStatus()
            weakly = status
            a.addObserver(status)
        }
        #expect(weakly == nil && !a.isObserved)
        var owner: Owner? = Owner()
        do {
            let status = ResourceStatus()
            weakly = status
            a.addObserver(status, owner: owner!)
        }
        #expect(weakly?.resources.count == 1 && a.isObserved)
        owner = nil
        #expect(!a.isObserved && weakly == nil)
    }
}
