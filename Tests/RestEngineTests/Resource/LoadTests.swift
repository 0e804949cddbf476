import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct LoadTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private var sent: [String] { fixture.transport.requests.map { "\($0.method) \($0.url)" } }

    @Test func `5.1 load always sends a GET, and tells so at once`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        fixture.noteEvents(in: journal)
        let resource = fixture.resource("a")
        let request = resource.load()
        #expect(journal.take() == ["a: requested"])
        #expect(request.state == .inProgress)
        #expect(resource.loadRequests.map(ObjectIdentifier.init) == [ObjectIdentifier(request)])
        #expect(resource.allRequests.map(ObjectIdentifier.init) == [ObjectIdentifier(request)])
        resource.load()
        #expect(sent == ["GET https://api.test/v1/a", "GET https://api.test/v1/a"])
        fixture.settle()
    }

    @Test func `5.2 every load ends by itself, and loading lasts until the last`() throws {
        fixture.noteEvents(in: journal)
        try fixture.stub("GET", "a", .text(200, "1", delay: .seconds(1)))
        let resource = fixture.resource("a")
        resource.load()
        try fixture.stub("GET", "a", .text(200, "2", delay: .seconds(2)))
        resource.load()
        fixture.advance(1)
        #expect(resource.isLoading)
        #expect(resource.latestData?.content.text == "1")
        fixture.advance(1)
        #expect(!resource.isLoading)
        #expect(resource.latestData?.content.text == "2")
        #expect(
            journal.lines == ["a: requested", "a: requested", "a: new_data(network)", "a: new_data(network)"])
    }

    @Test func `5.2 D2 a slow old answer does not replace newer data, but its hooks see it`() throws {
        try fixture.stub("GET", "a", .text(200, "old", delay: .seconds(2)))
        let resource = fixture.resource("a")
        journal.follow(resource.load(), "old")
        try fixture.stub("GET", "a", .text(200, "new", delay: .seconds(1)))
        journal.follow(resource.load(), "new")
        fixture.advance(1)
        fixture.advance(1)
        #expect(resource.latestData?.content.text == "new")
        #expect(
            journal.lines == [
                "new completion", "new success new", "new new_data", "old completion", "old success old",
                "old new_data",
            ])
        #expect(!resource.isLoading)
    }

    @Test func `D2 21.1 an override is not replaced by a load that was under way`() throws {
        try fixture.stub("GET", "a", .text(200, "net"))
        let resource = fixture.resource("a")
        resource.load()
        resource.overrideLocalContent(.text("local"))
        fixture.settle()
        #expect(resource.latestData?.content.text == "local")
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.content.text == "net")
    }

    @Test func `5.3 loadIfNeeded joins the oldest load in flight`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        let first = resource.load()
        resource.load()
        #expect(resource.loadIfNeeded() === first)
        #expect(sent.count == 2)
        fixture.settle()
    }

    @Test func `5.4 loadIfNeeded does nothing while the data is fresh`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.loadIfNeeded() == nil)
        fixture.advance(31)
        #expect(resource.loadIfNeeded() != nil)
        fixture.settle()
        #expect(sent.count == 2)
    }

    @Test func `5.5 a request that is no load does not count`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.stub("POST", "a", .text(200, "y"))
        let resource = fixture.resource("a")
        let post = resource.request("POST")
        let load = try #require(resource.loadIfNeeded())
        #expect(load !== post)
        fixture.settle()
        #expect(resource.latestData?.content.text == "x")
    }

    @Test func `D3 without a cache the first loadIfNeeded is immediate`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        fixture.noteEvents(in: journal)
        fixture.resource("a").loadIfNeeded()
        #expect(journal.take() == ["a: requested"])
        #expect(sent == ["GET https://api.test/v1/a"])
        fixture.settle()
    }

    @Test func `5.13 load(using:) makes any request a load`() throws {
        try fixture.stub("PUT", "a", .text(200, "put"))
        fixture.noteEvents(in: journal)
        let resource = fixture.resource("a")
        let request = resource.request("PUT")
        #expect(resource.load(using: request) === request)
        #expect(resource.isLoading)
        fixture.settle()
        #expect(resource.latestData?.content.text == "put")
        #expect(journal.lines == ["a: requested", "a: new_data(network)"])
    }

    @Test func `5.14 a foreign request is the other's request and this one's load`() throws {
        try fixture.stub("GET", "b", isHeld: true, .text(200, "b"))
        let (a, b) = (fixture.resource("a"), fixture.resource("b"))
        let request = a.load(using: b.request("GET"))
        #expect(a.isLoading && !a.isRequesting && b.isRequesting && !b.isLoading)
        a.wipe()
        #expect(request.isCancelled)
        fixture.settle()
        #expect(!b.isRequesting)
    }

    @Test func `5.15 load(using:) of a completed request takes one tick`() throws {
        try fixture.stub("POST", "a", .text(200, "done"))
        let resource = fixture.resource("a")
        let request = resource.request("POST")
        fixture.settle()
        resource.load(using: request)
        #expect(resource.isLoading && resource.latestData == nil)
        fixture.runTick()
        #expect(!resource.isLoading)
        #expect(resource.latestData?.content.text == "done")
    }

    @Test func `30 a client-side failure is an error of the next tick`() {
        fixture.noteEvents(in: journal)
        let resource = fixture.resource("a")
        resource.load(using: resource.failedRequest(.notURLEncodable(string: "x"), method: "POST"))
        #expect(journal.take() == ["a: requested"])
        fixture.runTick()
        #expect(journal.take() == ["a: error"])
        #expect(resource.latestError?.userMessage == "Cannot send request")
    }

    @Test(arguments: [("HEAD", 200), ("POST", 204)])
    func `5.17 a success without a body has zero bytes`(method: Method, status: Int) throws {
        try fixture.stub(method, "a", .response(status))
        let request = fixture.resource("a").request(method)
        fixture.settle()
        guard case .success(let entity)? = request.info?.response, case .bytes(let bytes) = entity.content
        else {
            Issue.record("\(String(describing: request.info))")
            return
        }
        #expect(bytes.isEmpty)
    }

    @Test(arguments: [
        (100, true), (204, true), (300, true), (399, true), (400, false), (404, false), (599, false),
    ])
    func `5.18 statuses from 400 are failures`(status: Int, isSuccess: Bool) throws {
        try fixture.stub("GET", "a", .response(status))
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect((request.info?.response.error == nil) == isSuccess)
    }

    @Test func `5.21 after a failure loadIfNeeded waits for the retry time`() throws {
        try fixture.stub("GET", "a", .response(503))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.loadIfNeeded() == nil)
        fixture.advance(60)
        #expect(sent.count == 1)
        #expect(resource.loadIfNeeded() != nil)
        fixture.settle()
    }
}
