import TestSupport
import Testing

@testable import RestEngine

/// Cookies in requests and responses (rules 58).
@Suite(.leakChecked) @EngineActor
struct CookieJarTests {
    let fixture = EngineFixture()

    private func cookies(_ fields: [String]) -> Headers { Headers(fields.map { ("Set-Cookie", $0) }) }

    private func sent(_ index: Int) -> String? { fixture.transport.requests[index].headers["Cookie"] }

    @Test func `58.1 without a jar nothing is kept`() throws {
        try fixture.stub("GET", "a", .response(headers: cookies(["a=1"])))
        for _ in 0..<2 {
            fixture.resource("a").load()
            fixture.settle()
        }
        #expect(sent(1) == nil)
    }

    @Test func `58.1 a server gets its cookies back, and a request's own Cookie stays`() throws {
        fixture.service.cookies = CookieJar()
        try fixture.stub("GET", "**", .response(404, headers: cookies(["a=1; path=/", "b=2; path=/v1/x"])))
        fixture.resource("a").load()
        fixture.settle()
        fixture.resource("x").load()
        fixture.settle()
        #expect(sent(0) == nil && sent(1) == "b=2; a=1")
        fixture.resource("x").request("GET", headers: ["Cookie": "own=1"])
        fixture.settle()
        #expect(sent(2) == "own=1")
        let other = Service(
            engine: fixture.engine, name: "other", baseURL: try BaseURL("https://api.test/v1/"))
        other.cookies = CookieJar()
        other.resource("a").load()
        fixture.settle()
        #expect(sent(3) == nil, "another service's are its own")
    }

    @Test func `58.1 a command line has the cookies that would go along`() throws {
        fixture.service.cookies = CookieJar(
            stored: [Cookie(name: "sid", value: "s3cret", domain: "api.test", path: "/v1/a")])
        let resource = fixture.resource("a")
        #expect(try resource.curl().description == "curl 'https://api.test/v1/a' -H 'Cookie: ***'")
        #expect(try resource.curl(mask: nil).description.hasSuffix(" -H 'Cookie: sid=s3cret'"))
        var own = RequestOptions()
        own.headers.set("Cookie", "own=1")
        #expect(try resource.curl(.get, own, mask: nil).description.hasSuffix(" -H 'Cookie: own=1'"))
        #expect(try fixture.resource("b").curl().description == "curl 'https://api.test/v1/b'")
    }

    @Test func `58.1 each hop of a redirect has its own`() throws {
        fixture.service.cookies = CookieJar()
        var toOther = cookies(["at=first; path=/", "for=all; domain=test; path=/"])
        toOther.set("Location", "https://other.example/landing")
        try fixture.stub("GET", "a", .response(302, headers: toOther))
        var back = cookies(["at=second; path=/"])
        back.set("Location", "https://api.test/v1/b")
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://other.example/**", .response(302, headers: back))
        try fixture.stub("GET", "b", .response())
        fixture.resource("a").load()
        fixture.settle()
        #expect(fixture.transport.requests.map { $0.headers["Cookie"] } == [nil, nil, "at=first"])
        let jar = try #require(fixture.service.cookies)
        #expect(jar.cookies(at: fixture.engine.scheduler.now).map(\.domain) == ["api.test", "other.example"])
        #expect(jar.remove { $0.domain == "api.test" } == 1 && jar.cookies(at: 0).count == 1)
    }

    @Test func `58.8 what lasts is kept, what goes with the process isn't`() throws {
        let storage = Kept()
        let stored = Cookie(name: "old", value: "1", domain: "api.test", expiresAt: 2_000_000)
        fixture.service.cookies = CookieJar(
            storage: storage, stored: [stored], now: fixture.engine.scheduler.now)
        try fixture.stub(
            "GET", "a", .response(headers: cookies(["s=1", "l=2; max-age=60", "x=3; max-age=60"])))
        try fixture.stub(
            "GET", "b", .response(headers: cookies(["l=2; path=/v1", "x=3; path=/v1; max-age=0"])))
        for path in ["a", "b"] {
            fixture.resource(path).load()
            fixture.settle()
        }
        #expect(sent(0) == "old=1")
        #expect(storage.lines == ["-s", "+l", "+x", "-l", "-x"])
        let tree = stored.tree
        #expect(Cookie(tree) == stored)
        #expect(Cookie(Tree(pairs: [("name", "a")])) == nil)
    }

    @Test func `58.9 values are in no event's text and no HAR, but as ***`() throws {
        fixture.service.cookies = CookieJar()
        try fixture.stub(
            "GET", "a",
            .response(headers: cookies(["sid=canary-5150; path=/"]), body: Array("canary-5150".utf8)))
        var har = ""
        fixture.engine.onEvent([.attempt]) { event in
            har += HAREntry(event, bodyLimit: 1000).map { "\($0.tree)" } ?? ""
            har += "\(event.tree)"
            if case .attempt(let attempt) = event.detail, attempt.number == 1, har.contains("Cookie") {
                #expect(
                    attempt.message.headers["Cookie"] == nil
                        || attempt.message.headers["Cookie"] == "sid=canary-5150")
            }
        }
        fixture.engine.log.enabled = Set(EngineLog.Category.allCases)
        for _ in 0..<2 {
            fixture.resource("a").load()
            fixture.settle()
        }
        #expect(sent(1) == "sid=canary-5150" && har.contains("\"Cookie\""))
        #expect(!har.contains("canary-5150") && !fixture.log.contains { $0.text.contains("canary-5150") })
    }

    private final class Kept: CookieStorage {
        var lines: [String] = []
        func keep(_ cookie: Cookie) { lines.append("+" + cookie.name) }
        func remove(_ cookie: Cookie) { lines.append("-" + cookie.name) }
    }

    @Test(arguments: [
        ("co.uk", true), ("com", true), ("example.com", false), ("github.io", true), ("test", true),
    ])
    func `58.3 public suffixes are those of the list`(domain: String, isSuffix: Bool) {
        #expect(PublicSuffixes.contain(domain) == isSuffix)
    }
}
