import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ResourceTableTests {
    let fixture = EngineFixture()

    private var service: Service { fixture.service }
    private var live: [String] {
        service.liveResources.map { String($0.urlString.dropFirst("https://api.test/v1/".count)) }
    }

    @Test func `2.1 2.2 one resource for each URL, whatever the way to it`() {
        let resource = fixture.resource("a/b")
        #expect(service.resource(absoluteURL: "https://api.test/v1/a/b") === resource)
        #expect(service.resource(absoluteURL: "HTTPS://API.test:443/v1/a/b") === resource)
        #expect(service.resource(baseURL: "https://api.test/v1", path: "a/b") === resource)
        #expect(service.resource("a").child("b") === resource)
        #expect(service.resource("a/").relative("b") === resource)
        #expect(service.resource("a/b").withParam("x", ["1"]).withParam("x", nil) === resource)
        #expect(service.resource("a/b/") !== resource)
        #expect(service.resource("a/B") !== resource)
    }

    @Test func `2.4 2.5 invalid resources: one for nil, a new one for each text`() {
        #expect(service.resource(absoluteURL: nil) === service.resource(absoluteURL: nil))
        #expect(service.resource(absoluteURL: "http://[") !== service.resource(absoluteURL: "http://["))
        #expect(service.resource(absoluteURL: "http://[").urlString == ":")
    }

    @Test func `1.3 2.6 requests of invalid resources fail and blocks do not apply`() throws {
        let journal = Journal()
        let fixture = EngineFixture(baseURL: nil)
        try fixture.configure { $0.configuration.expirationTime = .seconds(5) }
        fixture.noteEvents(in: journal)
        let resource = fixture.resource("a")
        #expect(resource.url == nil)
        #expect(resource.configuration(for: "GET").expirationTime == .seconds(30))
        let request = resource.load()
        #expect(request.state == .completed)
        fixture.settle()
        #expect(journal.lines == [":: requested", ":: error"])
        #expect(resource.latestError?.code == "invalid_url")
        #expect(resource.latestError?.userMessage == "Cannot send request with invalid URL")
        #expect(fixture.transport.requests.isEmpty)
        service.wipeResources()
    }

    @Test func `3.13 navigating runs no block`() throws {
        var runs = 0
        try fixture.configure { _ in runs += 1 }
        _ = fixture.resource("a").child("b").relative("../c").withParam("x", ["1"])
        #expect(runs == 0)
    }

    @Test func `2.7 23.2 resources live until a flush, and those in use beyond it`() {
        let kept = fixture.resource("kept")
        weak let dropped = service.resource("dropped")
        #expect(dropped != nil)
        service.flushUnusedResources()
        #expect(dropped == nil)
        #expect(service.resource("kept") === kept)
        #expect(service.liveResources.count == 1)
    }

    @Test func `23.2 looking a resource up makes it strong again`() {
        weak var weakly: Resource?
        do {
            let resource = service.resource("a")
            weakly = resource
            service.flushUnusedResources()
            _ = service.resource("a")
        }
        #expect(weakly != nil)
        service.flushUnusedResources()
        #expect(weakly == nil)
    }

    @Test func `23.3 D42 adding beyond the limit drops one, in-use resources stay`() {
        #expect(service.cachedResourceCountLimit == 1 << 20)
        service.cachedResourceCountLimit = 3
        let kept = service.resource("0")
        for number in 1..<3 { _ = service.resource("\(number)") }
        #expect(service.liveResourceCount == 3)
        _ = service.resource("3")
        #expect(live == ["0", "2", "3"])
        #expect(service.resource("0") === kept)
    }

    @Test func `23.3 D42 setting the limit drops what is beyond it`() {
        for number in 0..<5 { _ = service.resource("\(number)") }
        service.cachedResourceCountLimit = 5
        #expect(service.liveResourceCount == 5)
        service.cachedResourceCountLimit = 2
        #expect(live == ["3", "4"])
    }

    @Test func `23.3 what was held beyond the limit goes when somebody says that it was let go of`() {
        service.cachedResourceCountLimit = 3
        var held = (0..<5).map { service.resource("\($0)") }
        #expect(service.flushUnusedResourcesAboveLimit())
        #expect(service.liveResources.count == 5)
        held = [held[4]]
        #expect(service.flushUnusedResourcesAboveLimit())
        #expect(live == ["2", "3", "4"])
        #expect(!service.flushUnusedResourcesAboveLimit())
    }

    @Test func `23.2 a resource in flight survives the flush and gets its answer`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let journal = Journal()
        service.resource("a").load().onSuccess { [unowned service = fixture.service] _ in
            journal.note(service.resource("a").latestData?.content.text ?? "nothing")
        }
        service.flushUnusedResources()
        #expect(service.liveResources.count == 1)
        fixture.settle()
        #expect(journal.lines == ["x"])
    }

    @Test func `2.7 2.9 a service and its resources go after a flush, with their last user`() throws {
        try fixture.transport.stub(method: nil, urlGlob: "https://b.test/**", .json(200, "{}"))
        weak var weakly: Service?
        weak var loaded: Resource?
        do {
            let service = try Service(engine: fixture.engine, name: "b", baseURL: "https://b.test")
            service.model([String: Int].self, at: "/**")
            weakly = service
            loaded = service.resource("/a")
            service.resource("/a").load()
            fixture.settle()
            #expect(service.resource("/a").latestData != nil)
            service.flushUnusedResources()
        }
        #expect(weakly == nil && loaded == nil)
    }

    @Test func `1.11 wiping flushes first`() {
        _ = service.resource("a")
        service.wipeResources()
        #expect(service.liveResources.isEmpty)
    }
}
