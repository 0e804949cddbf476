import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinitionTests {
    let fixture = EngineFixture(baseURL: "https://api.example.com/v1/")

    private func properties(_ letter: String) throws -> RequestProperties {
        RequestProperties(
            headers: [HeaderItem("Accept", letter), HeaderItem("A", letter)],
            query: [QueryItem(letter, .text(letter))], path: [try PathComponent(letter + "p")],
            body: .bytes(Array(letter.utf8)))
    }

    @Test func `34.2 a service without extras gives nothing`() throws {
        let definition = try EndpointDefinition(fixture.service).request("GET")
        #expect(definition.url.string == "https://api.example.com/v1/")
        #expect(definition.headers.isEmpty && definition.query.isEmpty && definition.path.isEmpty)
        #expect(definition.body == nil && definition.configuration.isEmpty)
    }

    @Test func `34.2 three levels and a request, each adding`() throws {
        let service = try EndpointDefinition(fixture.service).endpoint("", properties("s"))
        let definition = try service.endpoint("users/", properties("e"))
            .endpoint("/a b/c", properties("n")).request("post", properties("r"))
        let url = "https://api.example.com/v1/users/a%20b/c/sp/ep/np/rp?s=s&e=e&n=n&r=r"
        #expect(definition.url.string == url && definition.method == "POST")
        #expect(definition.headers["Accept"] == "s, e, n, r" && definition.headers["A"] == "r")
        #expect(definition.body?.bytes == Array("r".utf8))
    }

    @Test func `34.2 adding goes behind, setting replaces a kind alone`() throws {
        let definition = try fixture.define(properties("a"))
        let path = try RequestProperties(path: [PathComponent("other")])
        #expect(try definition.setting(path).path.map(\.text) == ["other"])
        #expect(try definition.adding(path).path.map(\.text) == ["ap", "other"])
        #expect(try definition.setting(path).query == definition.query)
        let cleared = try definition.setting(RequestProperties(headers: [], query: [], path: []))
        #expect(cleared.url.string == "https://api.example.com/v1/")
        #expect(cleared.headers.fields.map(\.name) == ["Content-Type"])
    }

    @Test func `34.1 nothing that was defined changes`() throws {
        let endpoint = try EndpointDefinition(fixture.service).endpoint("a", properties("a"))
        let first = try endpoint.request("GET")
        let url = first.url
        _ = try first.adding(properties("b")).settingQuery("a", nil).withMethod("PUT")
        _ = try endpoint.endpoint("b", properties("c"))
        #expect(try first.url == url && endpoint.request("GET") == first && first.method == "GET")
    }

    @Test func `34.4 equal definitions are equal, hash equal and are the same bytes`() throws {
        func make() throws -> RequestDefinition {
            try EndpointDefinition(fixture.service).endpoint("u", properties("e"))
                .request("PUT", RequestProperties(body: .json(["a": 1])))
        }
        let (a, b) = (try make(), try make().adding(RequestProperties()))
        #expect(a == b && a.hashValue == b.hashValue)
        let (first, second) = (try fixture.sent(a), try fixture.sent(b))
        #expect(first.url == second.url && first.body == second.body)
        #expect(first.headers.fields == second.headers.fields)
    }

    @Test func `34.4 any difference makes another definition`() throws {
        let base = try fixture.define(properties("a"))
        let function = ConfigurationFunction(origin: "x:1") { _ in }
        var key = RequestProperties()
        key.idempotencyKey = .key("k")
        let others = [
            try base.withMethod("PUT"), try base.settingHeader("A", ["b"]),
            try base.settingHeader("B", ["a"]),
            try base.settingQuery("a", .text("b")),
            try base.adding(RequestProperties(path: [PathComponent("x")])),
            try base.adding(RequestProperties(body: .bytes([0x62]))),
            try base.adding(RequestProperties(body: .text("a", charset: "utf-8"))),
            try base.withConfiguration(function), try base.adding(key),
            try fixture.define(path: "x", properties("a")),
            // First one letter, then a letter with a combining accent.
            try base.settingHeader("A", ["\u{E9}"]), try base.settingHeader("A", ["e\u{301}"]),
        ]
        #expect(Set([base] + others).count == others.count + 1)
        #expect(try base.withConfiguration(function) == base.withConfiguration(function))
        let elsewhere = EngineFixture(baseURL: "https://api.example.com/v1/")
        #expect(try elsewhere.define(properties("a")) != base)
        #expect(try base.settingHeader("a", ["a"]) == base)
    }

    @Test func `34.5 mistakes have codes`() throws {
        let bare = EngineFixture(baseURL: nil)
        #expect(mistake { try EndpointDefinition(bare.service) } == .noBaseURL)
        let service = fixture.service
        for text in ["", "users", "/a", "ftp://a/b", "https://", "http://a b/"] {
            #expect(mistake { try EndpointDefinition(service, url: text) } == .invalidURL)
        }
        for method in ["", "a b", "GET\n"] {
            #expect(mistake { try fixture.define(method) } == .invalidMethod)
            #expect(mistake { try fixture.define().withMethod(method) } == .invalidMethod)
        }
        #expect(try fixture.define("purge").method == "purge" && fixture.define("head").method == "HEAD")
        #expect(mistake { try fixture.define("POST").read { _ in } } == .notReadable)
    }

    @Test func `34.6 levels and components have an end`() throws {
        var endpoint = try EndpointDefinition(fixture.service)
        for level in 0..<DefinitionLimits.levels { endpoint = try endpoint.endpoint("\(level)") }
        #expect(mistake { try endpoint.endpoint("more") } == .tooMany)
        let parts = Array(repeating: try PathComponent("a"), count: DefinitionLimits.pathComponents + 1)
        #expect(mistake { try fixture.define(RequestProperties(path: parts)) } == .tooMany)
        let fields = (0...DefinitionLimits.headerFields).map { HeaderItem("X-\($0)", "a") }
        #expect(mistake { try fixture.define(RequestProperties(headers: fields)) } == .tooMany)
        var definition = try fixture.define()
        // Adding the same part again adds no level.
        for number in 0..<1000 {
            definition = try definition.settingQuery("k", .integer(number), origin: "x.lua:1")
        }
        #expect(definition.url.query == "k=999")
    }
}
