import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinedQueryTests {
    let fixture = EngineFixture(baseURL: "https://example.com/")

    private func url(_ items: [QueryItem], base: String = "https://example.com/") throws -> String {
        try EndpointDefinition(fixture.service, url: base)
            .request("GET", RequestProperties(query: items)).url.string
    }

    @Test(
        arguments: [
            ("a b", "a%20b"), ("a&b", "a%26b"), ("a=b", "a%3Db"), ("a#b", "a%23b"), ("é", "%C3%A9"),
            ("a+b", "a%2Bb"), ("a%20b", "a%2520b"), ("a/b", "a/b"), ("a?b", "a?b"), ("a;b", "a;b"),
            ("a,b", "a,b"), ("a:b@c", "a:b@c"), ("~!*()", "~!*()"), ("'", "'"), ("[1]", "%5B1%5D"),
            ("{x}", "%7Bx%7D"), ("|", "%7C"), ("\"", "%22"), ("\n", "%0A"), ("\u{0}", "%00"), ("", ""),
        ])
    func `36.2 the text of a value is escaped`(text: String, escaped: String) throws {
        #expect(try url([QueryItem("k", .text(text))]) == "https://example.com/?k=\(escaped)")
        #expect(QueryItem("k", .text(text)).values == [text])
    }

    @Test(arguments: [("k[]", "k%5B%5D"), ("k[a]", "k%5Ba%5D"), ("", ""), ("a+b", "a%2Bb"), ("é", "%C3%A9")])
    func `36.2 the text of a name is escaped`(name: String, escaped: String) throws {
        #expect(try url([QueryItem(name, .text("v"))]) == "https://example.com/?\(escaped)=v")
        #expect(QueryItem(name, .text("v")).name == name)
    }

    @Test func `36.1 order is kept, and so are repeats`() throws {
        let items = [("key1", "1"), ("key2", "2"), ("key2", "3")].map { QueryItem($0, .text($1)) }
        #expect(try url(items) == "https://example.com/?key1=1&key2=2&key2=3")
        let first = try fixture.define(
            endpoint: RequestProperties(query: [QueryItem("z", .integer(1)), QueryItem("a", .integer(2))]),
            RequestProperties(query: [QueryItem("m", .integer(3))]))
        #expect(first.url.string == "https://example.com/?z=1&a=2&m=3")
        #expect(try url([]) == "https://example.com/")
    }

    @Test func `36.1 34.3 the query of the base stays, and comes first`() throws {
        let base = "https://example.com/a?x=1#frag"
        #expect(try url([], base: base) == base)
        #expect(try url([QueryItem("k", .text("v"))], base: base) == "https://example.com/a?x=1&k=v#frag")
        #expect(try url([QueryItem("k", .bare)], base: "https://example.com/?") == "https://example.com/?k")
    }

    @Test(
        arguments: [
            (.bare, "k"), (.text(""), "k="), (.boolean(true), "k=true"), (.boolean(false), "k=false"),
            (.integer(-7), "k=-7"), (.integer(UInt64.max), "k=18446744073709551615"),
        ] as [(QueryValue, String)])
    func `36.3 36.4 values of each kind`(value: QueryValue, query: String) throws {
        #expect(try url([QueryItem("k", value)]) == "https://example.com/?\(query)")
    }

    @Test(arguments: [
        (1.5, "1.5"), (3, "3"), (-0.0, "0"), (0.1, "0.1"), (1e15, "1000000000000000"), (1e100, "1e%2B100"),
    ])
    func `36.4 a whole number has no fraction`(number: Double, text: String) throws {
        #expect(try url([QueryItem("k", .number(number))]) == "https://example.com/?k=\(text)")
    }

    @Test func `36.4 36.5 what is no value`() throws {
        #expect(mistake { try QueryValue.number(.infinity) } == .notFinite)
        #expect(mistake { try QueryValue.number(.nan) } == .notFinite)
        #expect(mistake { try QueryValue.list([.list([])]) } == .nestedList)
    }

    @Test(
        arguments: [
            (.repeat, ["1", "a,b"], "k=1&k=a,b"), (.brackets, ["1", "2"], "k%5B%5D=1&k%5B%5D=2"),
            (.indices, ["1", "2"], "k%5B0%5D=1&k%5B1%5D=2"), (.comma, ["1", "a,b", ""], "k=1,a%2Cb,"),
            (.repeat, [], ""), (.brackets, [], ""), (.indices, [], ""), (.comma, [], ""),
            (nil, ["1", "2"], "k=1&k=2"),
        ] as [(QueryStyle?, [String], String)])
    func `36.5 lists in each style`(style: QueryStyle?, values: [String], query: String) throws {
        let properties = RequestProperties(
            query: [QueryItem("k", try .list(values.map { .text($0) }))], style: style)
        let url = try fixture.define(properties).url.string
        #expect(url == "https://example.com/" + (query.isEmpty ? "" : "?" + query))
    }

    @Test func `36.5 the last style given holds for all`() throws {
        let list = RequestProperties(query: [QueryItem("a", try .list([.integer(1), .integer(2)]))])
        let definition = try fixture.define(endpoint: list, RequestProperties(style: .comma))
        #expect(definition.url.query == "a=1,2")
        #expect(
            try definition.adding(RequestProperties(style: .indices)).url.query == "a%5B0%5D=1&a%5B1%5D=2")
    }

    @Test(arguments: ["a%20b", "a+b", "1,2", "a=b", "%2B", "a/b?c"])
    func `36.6 raw text is taken as it is`(text: String) throws {
        let value = try QueryValue.raw(EscapedText(text))
        #expect(try url([QueryItem("k", value)]) == "https://example.com/?k=\(text)")
    }

    @Test(arguments: ["a b", "100%", "%zz", "é", "a&b", "a#b", "a\n", "[x]", "a\"b"])
    func `36.6 raw text that is no value is an error`(text: String) throws {
        #expect(mistake { try QueryValue.raw(EscapedText(text)) } == .invalidEscapes)
    }

    @Test func `36.7 one parameter is set where the first of its name stood`() throws {
        let items = [("a", 1), ("b", 2), ("a", 3), ("c", 4)].map { QueryItem($0, .integer($1)) }
        let definition = try fixture.define(RequestProperties(query: items))
        func query(_ change: (RequestDefinition) throws -> RequestDefinition) rethrows -> String? {
            try change(definition).url.query
        }
        #expect(try query { try $0.settingQuery("a", .text("x")) } == "a=x&b=2&c=4")
        #expect(try query { try $0.settingQuery("d", .text("x")) } == "a=1&b=2&a=3&c=4&d=x")
        #expect(try query { try $0.settingQuery("c", .text("x")) } == "a=1&b=2&a=3&c=x")
        #expect(try query { try $0.settingQuery("a", nil) } == "b=2&c=4")
        #expect(try query { try $0.removingQuery("b") } == "a=1&a=3&c=4")
        #expect(try definition.removingQuery("missing") == definition)
    }

    @Test func `34.6 a query has an end`() throws {
        let most = try QueryValue.list(Array(repeating: .integer(1), count: DefinitionLimits.queryValues))
        let definition = try fixture.define(RequestProperties(query: [QueryItem("k", most)]))
        #expect(mistake { try definition.settingQuery("k2", .bare) } == .tooMany)
        #expect(try definition.settingQuery("k", .bare).url.query == "k")
        let long = QueryItem("k", .text(String(repeating: "a", count: DefinitionLimits.bytes)))
        #expect(mistake { try fixture.define(RequestProperties(query: [long])) } == .tooMany)
    }
}
