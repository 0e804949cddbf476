import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct EngineLogTests {
    let fixture = EngineFixture()

    private func lines(_ category: EngineLog.Category) -> [String] {
        fixture.log.filter { $0.category == category }.map(\.text)
    }

    @Test func `26.1 26.2 sets of categories by name`() {
        #expect(EngineLog.Category.set(named: "none") == [])
        #expect(EngineLog.Category.set(named: "common") == [.network, .stateChanges, .staleness])
        #expect(
            EngineLog.Category.set(named: "detailed")
                == [
                    .network, .pipeline, .stateChanges, .observers, .staleness, .cache, .configuration,
                ])
        #expect(EngineLog.Category.set(named: "all")?.count == 8)
        #expect(EngineLog.Category.set(named: "cache") == [.cache])
        #expect(EngineLog.Category.set(named: "warning") == nil)
        #expect(EngineLog.Category.set(named: "networks") == nil)
    }

    @Test func `26.2 nothing but warnings by default, and a change counts at once`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        fixture.resource("a").load()
        fixture.settle()
        #expect(fixture.log.isEmpty)
        fixture.engine.log.enabled = [.stateChanges]
        fixture.resource("a").load()
        fixture.settle()
        #expect(fixture.log.map(\.category) == [.stateChanges, .stateChanges])
        #expect(
            lines(.stateChanges) == [
                "https://api.test/v1/a: requested", "https://api.test/v1/a: new_data(network)",
            ])
    }

    @Test func `26.4 a text is not made while its category is off`() {
        var made = 0
        func text() -> String {
            made += 1
            return "text"
        }
        fixture.engine.log.write(.network, text())
        #expect(made == 0)
        fixture.engine.log.enabled = [.network]
        fixture.engine.log.write(.network, text())
        #expect(made == 1)
        #expect(lines(.network) == ["text"])
    }

    @Test func `passwords and tokens of URLs are masked`() {
        fixture.engine.log.enabled = Set(EngineLog.Category.optional)
        let url = "https://u:hunter2@api.test/a?api_key=s3cret"
        fixture.service.resource(absoluteURL: url).load().cancel()
        fixture.settle()
        #expect(lines(.stateChanges).first == "https://***@api.test/a?api_key=***: requested")
        let all = fixture.log.map(\.text).joined(separator: "\n")
        #expect(!all.contains("hunter2") && !all.contains("s3cret"), "\(all)")
    }

    @Test func `26.5 content that is not what its type says is named, not shown`() throws {
        fixture.engine.log.enabled = [.pipeline]
        let body = Array("{\"a\":".utf8) + [0xFF, 0]
        try fixture.stub(
            "GET", "a",
            .response(200, headers: Headers([("Content-Type", "application/json")]), body: body))
        fixture.resource("a").load()
        fixture.settle()
        #expect(lines(.pipeline).count == 2)
        #expect(lines(.pipeline)[0] == "GET https://api.test/v1/a: parsing: json")
        #expect(lines(.pipeline)[1].contains("malformed JSON at byte"))
    }

    @Test func `26.7 the configuration with its blocks, times, header names and stages`() throws {
        fixture.engine.log.enabled = [.configuration]
        try fixture.configure { draft in
            draft.configuration.headers.set("Authorization", "Bearer secret")
            draft.configuration.expirationTime = .seconds(5)
            draft.configuration.mutators.append { _ in }
        }
        _ = fixture.resource("a").configuration(for: "GET")
        #expect(
            lines(.configuration) == [
                """
                GET https://api.test/v1/a: standard json transformer → standard text transformer \
                → standard image transformer → standard ndjson transformer → block of the test
                  expires after 5.0 s, retries after 1.0 s
                  headers: Authorization
                  mutators: 1
                  parsing: json (*/json, */*+json), text (text/*), image (image/*), \
                ndjson (application/x-ndjson, application/ndjson, application/jsonl, application/x-jsonlines)
                """
            ])
    }

    @Test func `26.7 why data is fresh or stale, in seconds`() throws {
        fixture.engine.log.enabled = [.staleness]
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        resource.loadIfNeeded()
        resource.loadIfNeeded()
        fixture.settle()
        fixture.advance(10.5)
        resource.loadIfNeeded()
        fixture.advance(22)
        try fixture.stub("GET", "a", .response(500))
        resource.loadIfNeeded()
        fixture.settle()
        resource.loadIfNeeded()
        fixture.advance(2)
        resource.loadIfNeeded()
        fixture.settle()
        resource.invalidate()
        resource.loadIfNeeded()
        fixture.settle()
        let prefix = "https://api.test/v1/a"
        #expect(
            lines(.staleness) == [
                "\(prefix): never loaded", "\(prefix) is being loaded", "\(prefix): up to date for 19.5 s",
                "\(prefix): stale for 2.5 s", "\(prefix): failed, no retry for 1.0 s",
                "\(prefix): failed, may be tried again", "\(prefix): invalidated",
            ])
    }
}
