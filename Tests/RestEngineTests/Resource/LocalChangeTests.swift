import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct LocalChangeTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func loaded(_ path: String = "a") throws -> Resource {
        try fixture.stub(
            "GET", path,
            .response(
                headers: Headers([("Content-Type", "text/plain; charset=utf-8"), ("X-A", "1")]),
                body: Array("net".utf8)))
        let resource = fixture.resource(path)
        resource.load()
        fixture.settle()
        return resource
    }

    @Test func `21.1 an override is taken as it is given, and notified at once`() throws {
        try fixture.configure { $0.configuration.pipeline["model"].add(Shouting()) }
        let resource = fixture.resource("a")
        try fixture.stub("GET", "a", .response(500))
        resource.load()
        fixture.settle()
        resource.invalidate()
        fixture.noteEvents(in: journal)
        resource.overrideLocalData(Entity(content: .text("local"), contentType: "text/x", timestamp: 999_990))
        #expect(journal.lines == ["a: new_data(local_override)"])
        #expect(resource.latestData?.content.text == "local")
        #expect(resource.latestData?.timestamp == 999_990)
        #expect(resource.latestError == nil && resource.isUpToDate)
    }

    @Test func `21.2 new content keeps headers and type, its time is now`() throws {
        let resource = try loaded()
        fixture.advance(10)
        resource.overrideLocalContent(.text("local"))
        let data = try #require(resource.latestData)
        #expect(data.content.text == "local")
        #expect(data.contentType == "text/plain; charset=utf-8" && data.headers["x-a"] == "1")
        #expect(data.charset == "utf-8")
        #expect(data.timestamp == 1_000_010)
    }

    @Test func `21.2 content without data before is application/binary`() {
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("local"))
        #expect(resource.latestData?.contentType == "application/binary")
    }

    @Test func `21.3 invalidate changes nothing but the freshness`() throws {
        let resource = try loaded()
        fixture.noteEvents(in: journal)
        resource.invalidate()
        #expect(!resource.isUpToDate)
        #expect(resource.latestData != nil && resource.timestamp == 1_000_000)
        #expect(journal.lines.isEmpty && fixture.transport.requests.count == 1)
        resource.loadIfNeeded()
        fixture.settle()
        #expect(resource.isUpToDate)
    }

    @Test func `21.4 a cancelled load does not end invalidation`() throws {
        let resource = try loaded()
        resource.invalidate()
        resource.load().cancel()
        fixture.settle()
        #expect(!resource.isUpToDate)
    }

    @Test func `52.6 what was asked before a change of the server's isn't fresh, and nobody joins it`() throws
    {
        let first = try fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
        let resource = fixture.resource("a")
        let early = resource.loadIfNeeded()
        fixture.settle()
        resource.outdate()
        let second = try fixture.stub("GET", "a", isHeld: true, .text(200, "new"))
        let late = try #require(resource.loadIfNeeded())
        #expect(late !== early && resource.loadIfNeeded() === late)
        fixture.settle()
        first.go()
        fixture.settle()
        #expect(early?.info?.response.entity?.text == "old")
        #expect(resource.text == "old" && !resource.isUpToDate)
        second.go()
        fixture.settle()
        #expect(resource.text == "new" && resource.isUpToDate)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `52.6 an outdated load that fails holds nobody off`() throws {
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(503, "down"))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        resource.outdate()
        stub.go()
        fixture.settle()
        #expect(resource.latestError != nil && !resource.isUpToDate)
    }

    @Test func `21.5 30 a wipe cancels, clears and tells in this order`() throws {
        let resource = try loaded()
        try fixture.stub("GET", "a", isHeld: true, .text(200, "late"))
        try fixture.stub("POST", "a", isHeld: true, .text(200, "late"))
        fixture.noteEvents(in: journal)
        let (load, post) = (resource.load(), resource.request("POST"))
        _ = journal.take()
        resource.wipe()
        #expect(load.isCancelled && post.isCancelled)
        #expect(
            post.info?.response.error?.userMessage == "Request cancelled: its resource was wiped")
        #expect(resource.latestData == nil && resource.latestError == nil)
        #expect(resource.isLoading)
        #expect(journal.take() == ["a: new_data(wipe)"])
        fixture.runTick()
        #expect(!resource.isLoading && !resource.isRequesting)
        #expect(journal.take() == ["a: request_cancelled"])
        #expect(fixture.transport.transfersInFlight == 0)
    }

    @Test func `21.5 a reader that waits during a wipe gets the data of a new load`() throws {
        let resource = fixture.resource("a")
        try fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
        var texts: [String?] = []
        var answers = 0
        resource.read { texts.append(try? $0.get().text) }
        resource.readAnswer(always: true) { if case .success = $0 { answers += 1 } }
        fixture.settle()
        try fixture.stub("GET", "a", .text(200, "new"))
        resource.wipe()
        fixture.settle()
        #expect(texts == ["new"] && answers == 1 && fixture.transport.requests.count == 2)
    }

    @Test func `21.5 77.3 a wipe of a partition lets only its readers read again`() throws {
        let held = try fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
        var texts: [String: String?] = [:]
        for name in ["ada", "bob"] {
            fixture.service.resource("a", partition: name).read { texts[name] = try? $0.get().text }
        }
        fixture.settle()
        try fixture.stub("GET", "a", .text(200, "new"))
        fixture.service.wipeResources(inPartition: "ada") { _ in true }
        fixture.settle()
        held.go()
        fixture.settle()
        #expect(texts == ["ada": "new", "bob": "old"] && fixture.transport.requests.count == 3)
    }

    @Test func `21.5 a reader whose resource is wiped at each load fails after 9 loads`() throws {
        let resource = fixture.resource("a")
        try fixture.transport.stub(method: "GET", urlGlob: "a", base: fixture.service.baseURL) {
            [weak resource] _ in
            resource?.wipe()
            return .text(200, "x")
        }
        var errors: [RequestError] = []
        resource.read { if case .failure(let error) = $0 { errors.append(error) } }
        fixture.settle()
        #expect(errors.map(\.userMessage) == ["Request cancelled: its resource was wiped"])
        #expect(errors.first?.isCancellation == true && fixture.transport.requests.count == 9)
    }

    @Test func `1.11 21.7 a service wipes all its resources, or those that match`() throws {
        let resources = try ["a", "b"].map(loaded)
        fixture.service.wipeResources { $0.urlString.hasSuffix("a") }
        #expect(resources.map { $0.latestData == nil } == [true, false])
        fixture.service.wipeResources()
        #expect(resources.map { $0.latestData == nil } == [true, true])
    }

    private struct Shouting: Transformer {
        var description: String { "shouting" }
        func process(_ response: Response, _ context: PipelineContext) -> Response { response }
    }
}
