import RestEngine
import Testing

@testable import Gateway

@Suite struct ResourcePathTests {
    private func target(_ text: String) -> RequestTarget {
        Array(text.utf8).withUnsafeBytes { RequestTarget($0) }
    }

    @Test func `A target is a service, a path and a query`() {
        #expect(target("/a/b/c?d?e") == .resource(ResourcePath(service: "a", path: "b/c", query: "d?e")))
        #expect(target("/a") == .resource(ResourcePath(service: "a", path: "", query: nil)))
        #expect(target("/a/?") == .resource(ResourcePath(service: "a", path: "", query: "")))
        #expect(target("/a%20b/c") == .resource(ResourcePath(service: "a b", path: "c", query: nil)))
        #expect(target("/-/health?x") == .host(name: "health", query: "x"))
        #expect(target("/") == .nothing)
        #expect(target("") == .nothing)
        #expect(target("//a") == .nothing)
    }

    @Test(arguments: [
        ("", nil, ""), ("users/o", nil, "users/o"), ("a%20b/%C3%A4", nil, "a%20b/%C3%A4"),
        ("%7Eo/%41", nil, "~o/A"), ("a%2Fb/c", nil, "a%2Fb/c"), ("100%", nil, "100%25"),
        ("a%3Fb%23c", nil, "a%3Fb%23c"), ("a%2Bb%3b%40", nil, "a%2Bb%3B%40"), ("a+b;@", nil, "a+b;@"),
        ("%2", nil, "%252"), ("%", nil, "%25"), ("%zz", nil, "%25zz"),
        ("a|b", nil, "a%7Cb"), ("%FF", nil, "%FF"), ("a/", nil, "a/"), ("a//b", nil, "a//b"),
        ("s", "q=a%2Bb&q=c", "s?q=a%2Bb&q=c"), ("s", "b=2&a=1&b=1&a+b", "s?a=1&a+b&b=2&b=1"), ("s", "", "s"),
        ("s", "u=http://x/?y", "s?u=http://x/?y"),
    ])
    func `A path has one spelling upstream, a query keeps its own`(
        _ path: String, query: String?, expected: String
    ) throws {
        let base = try (BaseURL("https://h.example/v1"))
        let url = ResourcePath(service: "s", path: path, query: query).upstreamURL(below: base)
        #expect(url?.string == "https://h.example/v1/" + expected)
    }

    @Test func `A path without an escaped slash names the resource that a script would get`() async throws {
        let base = try (BaseURL("https://h.example/v1?k=1"))
        for path in ["users/o", "a%20b/%C3%A4", "100%", "a//b", "x;y=1,2/(z)"] {
            let decoded = try #require(PercentEncoding.decode(path))
            #expect(ResourcePath(service: "s", path: path).upstreamURL(below: base) == base.resource(decoded))
        }
    }

    @Test func `The base's own query stays, the client's joins it`() throws {
        let base = try (BaseURL("https://h.example/v1/?key=1"))
        let url = ResourcePath(service: "s", path: "a", query: "b=2").upstreamURL(below: base)
        #expect(url?.string == "https://h.example/v1/a?b=2&key=1")
    }
}
