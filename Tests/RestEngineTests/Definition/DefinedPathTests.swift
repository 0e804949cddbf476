import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinedPathTests {
    let fixture = EngineFixture(baseURL: "https://api.test/r")

    private func url(_ components: [PathComponent], base: String = "https://api.test/r") throws -> String {
        try EndpointDefinition(fixture.service, url: base)
            .request("GET", RequestProperties(path: components)).url.string
    }

    @Test(
        arguments: [
            ("a/b", "a%2Fb"), ("/a", "%2Fa"), ("a/", "a%2F"), ("/", "%2F"), ("a?b", "a%3Fb"), ("#", "%23"),
            ("%", "%25"), ("a%20b", "a%2520b"), ("|\\[]{}", "%7C%5C%5B%5D%7B%7D"), ("\u{0}\n", "%00%0A"),
            (";:@+&=~", ";:@+&=~"), ("suf fix", "suf%20fix"), ("é", "%C3%A9"), ("...", "..."), (".a", ".a"),
        ])
    func `37.3 a component is one segment`(text: String, escaped: String) throws {
        #expect(try url([PathComponent(text)]) == "https://api.test/r/\(escaped)")
        #expect(try PathComponent(text).text == text)
    }

    @Test(arguments: [".", "..", "%2e", "%2E.", "%252e%252e", "..;x"])
    func `37.4 dot segments are refused`(text: String) throws {
        #expect(mistake { try PathComponent(text) } == .dotSegment)
        #expect(mistake { try PathComponent.raw(EscapedText(text)) } == .dotSegment)
        #expect(mistake { try EndpointDefinition(fixture.service).endpoint("a/\(text)/b") } == .dotSegment)
        #expect(mistake { try PathTemplate("{a}/\(text)") } == .dotSegment)
    }

    @Test func `37.1 37.2 components of every kind, empty ones dropped`() throws {
        let components = [
            try PathComponent("a"), PathComponent(2), PathComponent(true), try PathComponent(3.5),
            try PathComponent(""), try PathComponent(4.0), try PathComponent("y"),
        ]
        #expect(try url(components) == "https://api.test/r/a/2/true/3.5/4/y")
        #expect(
            try url([PathComponent(""), PathComponent("a"), PathComponent("")]) == "https://api.test/r/a")
        #expect(try url([]) == "https://api.test/r")
        #expect(mistake { try PathComponent(Double.nan) } == .notFinite)
    }

    @Test(
        arguments: [
            ("https://example.com", "https://example.com/p?k=v"),
            ("https://example.com/", "https://example.com/p?k=v"),
            ("https://example.com/a", "https://example.com/a/p?k=v"),
            ("https://example.com/a/", "https://example.com/a/p?k=v"),
            ("https://example.com/a?x=1#frag", "https://example.com/a/p?x=1&k=v#frag"),
        ])
    func `34.3 37.1 one slash joins, query and fragment stay`(base: String, joined: String) throws {
        let definition = try EndpointDefinition(fixture.service, url: base).request(
            "GET", RequestProperties(query: [QueryItem("k", .text("v"))], path: [PathComponent("p")]))
        #expect(definition.url.string == joined)
    }

    @Test func `34.3 endpoints have path text, in each other to any depth`() throws {
        let service = try EndpointDefinition(fixture.service)
        #expect(service.url.string == "https://api.test/r/")
        #expect(try service.endpoint("").url == service.url)
        #expect(try service.endpoint("/a b/c?d").url.string == "https://api.test/r/a%20b/c%3Fd")
        let users = try service.endpoint("users/", RequestProperties(path: [PathComponent("1")]))
        let admins = try users.endpoint("admins", RequestProperties(path: [PathComponent("2")]))
        let definition = try admins.request("GET", RequestProperties(path: [PathComponent("3")]))
        #expect(definition.url.string == "https://api.test/r/users/admins/1/2/3")
        #expect(try users.request("GET").url.string == "https://api.test/r/users/1")
        #expect(try service.endpoint("users/").request("GET").url.string == "https://api.test/r/users/")
        #expect(try users.endpoint("").url.string == "https://api.test/r/users/")
    }

    @Test(arguments: ["a%2Fb", "a/b/", "a%20b", "x;y=1"])
    func `37.5 raw text is taken as it is`(text: String) throws {
        #expect(try url([.raw(EscapedText(text))]) == "https://api.test/r/\(text)")
        let child = fixture.resource("").child(raw: try EscapedText(text))
        #expect(child.urlString == "https://api.test/r/\(text)")
    }

    @Test(arguments: ["a b", "a?b", "a#b", "%", "%2", "é", "a\nb", "[a]"])
    func `37.5 raw text that is no path is an error`(text: String) throws {
        #expect(mistake { try PathComponent.raw(EscapedText(text)) } == .invalidEscapes)
    }

    @Test func `37.5 a raw child never leaves its parent`() throws {
        let child = fixture.resource("a").child(raw: try EscapedText("b/%2e%2e/c"))
        #expect(child.url == nil)
        #expect(fixture.resource("a").child(raw: try EscapedText("b?c")).url == nil)
    }

    @Test func `34.6 a path that replaces another counts by itself`() throws {
        let component = try PathComponent(String(repeating: "x", count: 60_000))
        var definition = try EndpointDefinition(fixture.service).request("GET")
        for _ in 0..<30 { definition = try definition.setting(RequestProperties(path: [component])) }
        #expect(definition.url.string.utf8.count == 60_000 + "https://api.test/r/".utf8.count)
    }
}
