import Platform
import TestSupport
import Testing

@testable import RestEngine

/// Resources whose content a function makes from other resources.
@Suite(.leakChecked) @EngineActor
struct ComputedResourceTests {
    let fixture = EngineFixture()
    private var service: Service { fixture.service }

    /// `/sum` adds the numbers of `/a` and `/b`, and counts its computations.
    private func sum(_ counter: Counter, follows: Bool = true) throws {
        try fixture.stub("GET", "a", .text(200, "1"))
        try fixture.stub("GET", "b", .text(200, "2"))
        let (a, b) = (service.resource("a"), service.resource("b"))
        service.computed("/sum", expirationTime: .seconds(60), follows: follows) { [weak a, weak b] _, _ in
            counter.count += 1
            var sum = 0
            for resource in [a, b] { sum += Int(try await resource?.get().content.text ?? "") ?? 0 }
            return .text("\(sum)")
        }
        fixture.watch(a)
        fixture.watch(b)
    }

    private final class Counter: Sendable {
        @EngineActor var count = 0
        nonisolated init() {}
    }

    private func get(_ path: String) async -> Result<Entity, RequestError> {
        let resource = fixture.resource(path)
        let task = Task { () -> Result<Entity, RequestError> in
            do throws(RequestError) { return .success(try await resource.get()) } catch {
                return .failure(error)
            }
        }
        return await fixture.finish(task)
    }

    /// Lets all requests of the service end.
    private func loadsEnd() async {
        await yielding(until: "the requests end") {
            fixture.settle()
            return service.liveResources.allSatisfy { !$0.isRequesting && !$0.isLoading }
        }
        fixture.settle()
    }

    @Test func `71.1 its content is made when it is loaded, and kept for its time`() async throws {
        let counter = Counter()
        try sum(counter)
        #expect(try await get("sum").get().content.text == "3")
        #expect(try await get("sum").get().content.text == "3")
        #expect(counter.count == 1)
        fixture.clock.advance(by: 61)
        #expect(try await get("sum").get().content.text == "3")
        #expect(counter.count == 2)
    }

    @Test func `71.3 new data of a source makes it stale, other events of the source do not`() async throws {
        let counter = Counter()
        try sum(counter)
        _ = await get("sum")
        fixture.clock.advance(by: 40)
        // The sources are stale by their own time.
        #expect(!service.resource("a").isUpToDate && service.resource("sum").isUpToDate)
        service.resource("a").overrideLocalContent(.text("5"))
        #expect(!service.resource("sum").isUpToDate)
        #expect(service.resource("sum").latestData?.content.text == "3")
        #expect(try await get("sum").get().content.text == "7")
    }

    @Test func `71.5 its time is that of its oldest source, and it expires by its own`() async throws {
        let counter = Counter()
        try sum(counter)
        service.configure("/a") { $0.expirationTime = .seconds(600) }
        service.resource("a").load()
        fixture.settle()
        let start = fixture.clock.now
        fixture.clock.advance(by: 100)
        _ = await get("sum")
        let resource = fixture.resource("sum")
        #expect(resource.latestData?.timestamp == start && resource.dataAgeSeconds == 100)
        fixture.clock.advance(by: 60)
        #expect(resource.isUpToDate)
        fixture.clock.advance(by: 1)
        #expect(!resource.isUpToDate)
    }

    @Test func `71.3 stale data stands in for a failure, and a source that recovers makes it stale`()
        async throws
    {
        let counter = Counter()
        try sum(counter)
        service.configure("/sum") { $0.staleIfError = .seconds(600) }
        _ = await get("sum")
        service.resource("a").wipe()
        try fixture.stub("GET", "a", .text(503, "down"))
        #expect(try await get("sum").get().content.text == "3")
        let resource = fixture.resource("sum")
        #expect(resource.latestError?.httpStatusCode == 503)
        fixture.clock.advance(by: 2)
        let owner = Counter()
        resource.addObserver(owner: owner) { _, _ in }
        try fixture.stub("GET", "a", .text(200, "8"))
        service.resource("a").load()
        await loadsEnd()
        await loadsEnd()
        #expect(resource.latestError == nil && resource.latestData?.content.text == "10")
        resource.removeObservers(ownedBy: owner)
        fixture.settle()
    }

    @Test func `without follow only its time makes it stale`() async throws {
        let counter = Counter()
        try sum(counter, follows: false)
        _ = await get("sum")
        service.resource("a").overrideLocalContent(.text("5"))
        #expect(service.resource("sum").isUpToDate)
    }

    @Test func `71.2 a source that was dropped and loaded again is still its source`() async throws {
        let counter = Counter()
        try sum(counter)
        _ = await get("sum")
        let sum = service.resource("sum")
        service.flushUnusedResources()
        service.resource("a").load()
        fixture.settle()
        #expect(!sum.isUpToDate)
    }

    @Test func `71.4 observing it observes its sources, as long as they are its sources`() async throws {
        let counter = Counter()
        try sum(counter)
        let owner = Counter()
        let resource = fixture.resource("sum")
        resource.addObserver(owner: owner) { _, _ in }
        #expect(!service.resource("a").isObserved)
        _ = await get("sum")
        #expect(service.resource("a").isObserved && service.resource("b").isObserved)
        service.computed("/sum") { _, _ in .text("0") }
        resource.load()
        await loadsEnd()
        #expect(resource.latestData?.content.text == "0")
        #expect(!service.resource("a").isObserved)
        resource.removeObservers(ownedBy: owner)
        #expect(!service.resource("b").isObserved)
    }

    @Test func `71.1 only GET and HEAD are possible`() async throws {
        service.computed("/text") { _, _ in .text("x") }
        let head = service.resource("text").request(.head)
        let post = service.resource("text").request(.post)
        await loadsEnd()
        #expect(head.info?.response.entity?.content.isNoBody == true)
        #expect(head.info?.response.entity?.contentType == "text/plain; charset=utf-8")
        let error = post.info?.response.error
        #expect(error?.httpStatusCode == 405 && error?.entity?.headers["Allow"] == "GET, HEAD")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `71.1 a request with parameters computes the resource that has them`() async throws {
        service.computed("/text") { _, resource in .text(resource.urlString) }
        let request = service.resource("text").request(.get, query: ["q": "1"], headers: ["X-A": "b"])
        await loadsEnd()
        #expect(request.info?.response.entity?.content.text == "https://api.test/v1/text?q=1")
        #expect(service.resource("text").latestData == nil)
    }

    @Test func `sources count as content, and go with it`() async throws {
        let counter = Counter()
        try sum(counter)
        let resource = fixture.resource("sum")
        let before = resource.heldBytes
        _ = await get("sum")
        #expect(resource.heldBytes > before + 256 + 2 * 192)
        resource.dropContent()
        #expect(resource.heldBytes == before && resource.computed == nil)
    }

    @Test func `a service without a base URL has paths of its own`() async throws {
        let page = Service(engine: fixture.engine, name: "my page", baseURL: nil)
        #expect(page.resource("x").url == nil)
        page.computed("/x/{y}") { names, resource in .text("\(names["y"] ?? "") at \(resource.urlString)") }
        let resource = page.resource("/x/ä")
        resource.load()
        await yielding(until: "the load ends") {
            fixture.settle()
            return !resource.isLoading
        }
        #expect(resource.latestData?.content.text == "ä at resthost://-/my%20page/x/%C3%A4")
        #expect(page.resource("/../x").url == nil)
    }

    @Test func `a cancelled load cancels its function, and keeps the data`() async throws {
        let counter = Counter()
        service.computed("/slow") { _, _ in
            do { try await Task.sleep(for: .seconds(600)) } catch { counter.count += 1 }
            return .text("never")
        }
        let request = service.resource("slow").load()
        request.cancel()
        await yielding(until: "the function ends") {
            fixture.settle()
            return counter.count == 1
        }
        await loadsEnd()
        #expect(request.isCancelled && service.resource("slow").latestError == nil)
    }

    @Test func `71.8 offline, its cache answers, and without that its function`() async throws {
        let counter = Counter()
        try sum(counter)
        let cache = MemoryCache()
        service.configure("/sum") { $0.pipeline[.cleanup].cache = cache }
        _ = await get("sum")
        await loadsEnd()
        let sum = fixture.resource("sum")
        fixture.engine.isOffline = true
        service.flushUnusedResources()
        let restarted = Service(engine: fixture.engine, name: "api", baseURL: service.baseURL)
        restarted.configure("/sum") { $0.pipeline[.cleanup].cache = cache }
        restarted.computed("/sum") { _, _ in
            counter.count += 1
            return .text("offline")
        }
        restarted.computed("/other") { _, _ in .text("offline") }
        var read: [String?] = []
        for path in ["sum", "other"] {
            restarted.resource(path).readCached { read.append(try? $0.get().content.text) }
        }
        await yielding(until: "both are read") {
            fixture.settle()
            return read.count == 2
        }
        #expect(read.sorted { $0 ?? "" < $1 ?? "" } == ["3", "offline"] && counter.count == 1)
        // Its sources may have changed since.
        #expect(!restarted.resource("sum").isUpToDate && sum.isUpToDate)
    }

    @Test
    func `21.5 a wipe during a computation makes it begin anew, and a wipe of its source does not end it`()
        async throws
    {
        for wiped in ["sum", "a"] {
            let fixture = EngineFixture()
            let service = fixture.service
            let counter = Counter()
            try fixture.stub("GET", "a", isHeld: true, .text(200, "old"))
            service.computed("/sum") { [weak source = fixture.resource("a")] _, _ in
                counter.count += 1
                return .text(try await source?.get().content.text ?? "")
            }
            let resource = fixture.resource("sum")
            var texts: [String?] = []
            resource.read { texts.append(try? $0.get().text) }
            await yielding(until: "the function waits for its source") {
                fixture.settle()
                return fixture.transport.transfersInFlight == 1
            }
            try fixture.stub("GET", "a", .text(200, "new"))
            // The second computation joins the load of the source that the first began.
            if wiped == "sum" { service.resource("a").wipe() }
            service.resource(wiped).wipe()
            await yielding(until: "the reader has an answer") {
                fixture.settle()
                return texts.count == 1
            }
            #expect(texts == ["new"] && counter.count == (wiped == "sum" ? 2 : 1), "\(wiped)")
        }
    }

    @Test func `an explanation names what it was made of`() async throws {
        let counter = Counter()
        try sum(counter)
        #expect(service.explain("/sum").computed?.sources == nil)
        #expect(service.explain("/sum").failures.isEmpty)
        _ = await get("sum")
        let computed = try #require(service.explain("/sum").computed)
        #expect(computed.sources?.map(\.url) == ["https://api.test/v1/a", "https://api.test/v1/b"])
        #expect(computed.sources?.map(\.timestamp) == [fixture.clock.now, fixture.clock.now])
    }
}
