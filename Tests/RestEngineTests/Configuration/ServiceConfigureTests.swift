import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ServiceConfigureTests {
    let fixture = EngineFixture()

    private func time(_ path: String, _ method: Method = .get) -> Double {
        fixture.resource(path).configuration(for: method).expirationSeconds
    }

    @Test func `14.3 blocks run in the order of adding, each sees the previous result`() throws {
        fixture.service.configure { $0.expirationTime = .seconds(1) }
        fixture.service.configure("users/**") { $0.expirationTime += .seconds(10) }
        fixture.service.configure("users/*") { $0.expirationTime *= 2 }
        #expect(time("x") == 1 && time("users/a") == 22 && time("users/a/b") == 11)
    }

    @Test func `14.9 14.13 14.15 patterns of each kind`() throws {
        let service = fixture.service
        service.configure(.all) { $0.expirationTime = .seconds(0) }
        service.configure(try .glob("gl" + "*")) { $0.expirationTime += .seconds(1) }
        service.configure(try .regex("REGEX$", options: "i")) { $0.expirationTime += .seconds(2) }
        service.configure(.resource(fixture.resource("exact"))) { $0.expirationTime += .seconds(4) }
        service.configure(.matching { $0.path.hasSuffix("asked") }) { $0.expirationTime += .seconds(8) }
        #expect(time("glob") == 1 && time("a-regex") == 2 && time("exact") == 4 && time("asked") == 8)
        #expect(time("globasked") == 9 && time("other") == 0)
        let elsewhere = fixture.watch(service.resource(absoluteURL: "https://other.test/"))
        #expect(elsewhere.configuration(for: "GET").expirationTime == .seconds(0))
    }

    @Test func `14.12 the pattern of an invalid resource matches nothing`() throws {
        let invalid = fixture.watch(fixture.service.resource(absoluteURL: ""))
        fixture.service.configure(.resource(invalid)) { $0.expirationTime = .seconds(7) }
        #expect(time("a") == 30 && invalid.configuration(for: "GET").expirationTime == .seconds(30))
    }

    @Test func `14.2 a block may be for some methods`() throws {
        fixture.service.configure("a", methods: ["POST", "PUT"]) { $0.expirationTime = .seconds(7) }
        #expect(time("a", "POST") == 7 && time("a", "PUT") == 7 && time("a") == 30)
    }

    @Test func `14.18 an entry names its pattern and where it was written`() throws {
        fixture.service.configure("a/*") { _ in }
        let line = #line - 1
        fixture.service.configure(try .regex("x", options: "i"), description: "mine") { _ in }
        fixture.service.configureTransformer("a") { (_: Tree, _) in "" }
        fixture.service.model([Int].self, at: "a")
        let entries = fixture.service.configurationEntries.suffix(4)
        #expect(
            entries.map(\.description) == [
                "a/*", "mine", "a: Tree → String in model", "a: Tree → Array<Int> in model",
            ])
        #expect(
            entries.compactMap(\.origin)
                == [0, 2, 3, 4].map { "RestEngineTests/ServiceConfigureTests.swift:\(line + $0)" })
    }

    @Test func `14.6 a captured variable changes nothing until invalidation`() throws {
        let token = Token()
        fixture.service.configure("**") { $0.headers.set("Authorization", token.text) }
        let resource = fixture.resource("a")
        #expect(resource.configuration(for: "GET").headers["Authorization"] == "old")
        token.text = "new"
        #expect(resource.configuration(for: "GET").headers["Authorization"] == "old")
        fixture.service.invalidateConfiguration()
        #expect(resource.configuration(for: "GET").headers["Authorization"] == "new")
    }

    @Test func `a pattern that is none is reported when the block is added`() {
        #expect(throws: PatternError.self) { fixture.service.configure(try .regex("(")) { _ in } }
        #expect(throws: PatternError.self) { fixture.service.model(Int.self, at: try .regex("[")) }
    }

    @Test func `a block that throws fails the request with its error`() throws {
        fixture.service.configure("a") { _ in throw RequestError(userMessage: "not now", timestamp: 0) }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.info?.response.error?.userMessage == "not now")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `mutators and decorators are added by blocks`() throws {
        try fixture.stub("GET", "a", .response())
        let journal = Journal()
        fixture.service.configure("a") { configuration in
            configuration.mutators.append { $0.headers.set("X", "1") }
            configuration.decorators.append { _, request in
                request.onSuccess { _ in journal.note("decorated") }
            }
        }
        fixture.resource("a").load()
        fixture.settle()
        #expect(fixture.transport.requests.first?.headers["X"] == "1")
        #expect(journal.lines == ["decorated"])
    }

    @Test func `1.11 resources that match a pattern are wiped`() throws {
        let resources = ["users/a", "users/b", "x"].map(fixture.resource)
        func filled() -> [Bool] { resources.map { $0.latestData != nil } }
        func fill() { for resource in resources { resource.overrideLocalContent(.text("x")) } }
        fill()
        try fixture.service.wipeResources("users/*")
        #expect(filled() == [false, false, true])
        fill()
        try fixture.service.wipeResources(.resource(resources[1]))
        #expect(filled() == [true, false, true])
        fill()
        try fixture.service.wipeResources(.matching { $0.path == "/v1/x" })
        #expect(filled() == [true, true, false])
        fill()
        try fixture.service.wipeResources(.all)
        #expect(filled() == [false, false, false])
    }
}

@EngineActor
private final class Token {
    var text = "old"
}
