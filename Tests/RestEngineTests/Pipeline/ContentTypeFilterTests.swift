import RestEngine
import TestSupport
import Testing

struct ContentTypeFilterTests {
    /// The standard filters, with and without their defects in Siesta (17.3, 18.5).
    @Test(
        arguments: [
            ("application/json", "json"), ("APPLICATION/JSON", "json"),
            ("application/json; charset=utf-8", "json"),
            ("application/json;charset=utf-8", "json"), (" application/json ", "json"),
            ("text/json", "json text"),
            ("application/vnd.api+json", "json"), ("application/a.b-c+json", "json"),
            ("application/jsonp", ""),
            ("xapplication/json", "json"), ("application/json/x", ""), ("application/a+b+json", ""),
            ("json", ""), ("/json", ""), ("application/", ""), ("", ""),
            ("text/plain", "text"), ("TEXT/HTML; level=1", "text"), ("text/", ""), ("text/foo+plain", ""),
            ("application/text/plain", ""), ("xtext/plain", ""), ("text/x+json", "json"),
            ("image/png", "image"), ("IMAGE/JPEG", "image"), ("image/svg+xml", ""), ("image/", ""),
            ("application/octet-stream", ""), ("application/xml; a=text/plain", ""),
        ])
    func `17.2 17.3 18.1 D11 which standard transformers claim a type`(type: String, claimed: String) {
        let names = StandardTransformer.allCases.filter { ContentTypeFilter($0.contentTypes).matches(type) }
        #expect(names.map(\.rawValue).joined(separator: " ") == claimed)
    }

    @Test(
        arguments: [
            ("*", "x", true), ("*", "a/b", false), ("*/*", "a/b", true), ("*/*", "/b", false),
            ("*/*+*", "a/b+c", true), ("*/*+*", "a/b", false), ("a/b*c", "a/bc", false),
            ("a/b*c", "a/bxc", true),
            ("a/b*c", "a/bcc", true), ("a/b*c*d", "a/bcccxd", true), ("a/**", "a/bc", true),
            ("a/**", "a/b", false),
            ("a/*b*", "a/xbbb", true), ("a*/b", "ax/c/b", false), ("a/*+json", "a/x+y+json", false),
            ("a/*x/*y", "a/1x/2y", true), ("*a/*", "xaya/z", true), ("A/B", "a/b", true), ("", "", true),
            ("", "a", false), ("a.b/c", "axb/c", false),
        ])
    func `17.2 patterns`(pattern: String, type: String, matches: Bool) {
        #expect(ContentTypeFilter([pattern]).matches(type) == matches)
    }

    @Test func `17.2 nothing matches an absent type, any of several patterns one that is there`() {
        #expect(!ContentTypeFilter(["*"]).matches(nil))
        #expect(!ContentTypeFilter([]).matches("a/b"))
        #expect(ContentTypeFilter(["x/y", "a/b"]).matches("a/b"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `many stars against a long type end quickly`() {
        let long = String(repeating: "a", count: 20_000)
        let stars = String(repeating: "*a", count: 200)
        #expect(!ContentTypeFilter([stars + "*b"]).matches(long))
        #expect(ContentTypeFilter([stars]).matches(long))
        #expect(!ContentTypeFilter([stars + "/*"]).matches(long + "/"))
    }

    /// Compares with the definition, which tries all ways.
    @Test func `seeded: agrees with the plain definition on short texts`() {
        var random = SeededRandom(seed: 17)
        for _ in 0..<20_000 {
            let pattern = random.text(of: "ab*/+", upTo: 7)
            let text = random.text(of: "ab/+", upTo: 8)
            #expect(
                ContentTypeFilter([pattern]).matches(text) == Self.slow(Array(pattern), Array(text)),
                "pattern '\(pattern)', text '\(text)'")
        }
    }

    private static func slow(_ pattern: [Character], _ text: [Character]) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = Array(pattern.dropFirst())
        guard first == "*" else { return text.first == first && slow(rest, Array(text.dropFirst())) }
        let free = text.prefix { $0 != "/" && $0 != "+" }.count
        return free > 0 && (1...free).contains { slow(rest, Array(text.dropFirst($0))) }
    }
}
