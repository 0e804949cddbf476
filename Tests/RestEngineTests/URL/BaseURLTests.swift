import Testing

@testable import RestEngine

struct BaseURLTests {
    @Test(arguments: [
        ("https://foo.bar", "https://foo.bar/"),
        ("https://foo.bar/", "https://foo.bar/"),
        ("https://foo.bar/v1", "https://foo.bar/v1/"),
        ("https://foo.bar/v1/", "https://foo.bar/v1/"),
        ("https://foo.bar/v1//", "https://foo.bar/v1//"),
        ("https://foo.bar/v1?key=1", "https://foo.bar/v1/?key=1"),
        ("https://foo.bar?key=a/b", "https://foo.bar/?key=a/b"),
        ("https://Foo.bar:443/V1", "https://foo.bar/V1/"),
    ])
    func `1.2 the path of a base ends in a slash, its query is kept`(text: String, expected: String) throws {
        #expect(try BaseURL(text).url.string == expected)
    }

    @Test(arguments: [
        "", "\0", "http://[URL syntax error]", "https://h/a b", "api.example.com", "./v1", "ftp://h/",
        "unix:/run/x",
    ])
    func `1.1 text that is no URL of http is an error that says so`(text: String) {
        #expect(throws: BaseURLError(text: text)) { try BaseURL(text) }
        #expect(
            "\(BaseURLError(text: text))".hasPrefix("'\(text)' is not a URL: it looks like \"https://"))
    }

    private static let advice =
        "its host has letters beyond ASCII: write the name in its ASCII form, which has xn--"

    @Test(arguments: [
        "http://ünïcode.test/", "https://u%C3%A9@bücher.example:8443/v1", "https://例え.jp?a",
        "http://m%c3%bcnchen.example/",
    ])
    func `1.1 a host beyond ASCII is asked for in its ASCII form`(text: String) {
        #expect(throws: BaseURLError(text: text)) { try BaseURL(text) }
        #expect("\(BaseURLError(text: text))" == "'\(text)' is not a URL: \(Self.advice)")
        #expect(URLText(text)?.isHTTP == false)
        let detail = RequestError.Cause.invalidURL(source: text).detail
        #expect(detail?.hasSuffix("can't be requested: \(Self.advice)") == true)
    }

    @Test(arguments: [
        "https://xn--mnchen-3ya.example/", "https://h/é", "https://u%C3%A9@h/", "http://[fe80::1%25eth0]/",
    ])
    func `1.1 letters beyond ASCII elsewhere, and zones of addresses, are no fault`(text: String) {
        #expect(URLText(text)?.isHTTP == true && URLText.adviceOnHost(of: text) == nil)
    }

    @Test(arguments: [
        ("", "https://foo.bar/v1/"),
        ("/", "https://foo.bar/v1/"),
        ("foo", "https://foo.bar/v1/foo"),
        ("/foo", "https://foo.bar/v1/foo"),
        ("foo/bar/", "https://foo.bar/v1/foo/bar/"),
        ("foo//bar", "https://foo.bar/v1/foo//bar"),
    ])
    func `3.1 one leading slash is ignored, the rest is appended`(path: String, expected: String) throws {
        let base = try (BaseURL("https://foo.bar/v1"))
        #expect(base.resource(path).string == expected)
    }

    @Test(arguments: [
        ("//other.host", "https://foo.bar/v1//other.host"),
        (".", "https://foo.bar/v1/."),
        ("../x", "https://foo.bar/v1/../x"),
        ("http://other.host/x", "https://foo.bar/v1/http://other.host/x"),
        ("?foo=bar", "https://foo.bar/v1/%3Ffoo=bar"),
        ("a#b", "https://foo.bar/v1/a%23b"),
        ("%3F", "https://foo.bar/v1/%253F"),
        ("%zz", "https://foo.bar/v1/%25zz"),
        ("%", "https://foo.bar/v1/%25"),
        ("é 漢", "https://foo.bar/v1/%C3%A9%20%E6%BC%A2"),
        ("a+b&c=d;e,f", "https://foo.bar/v1/a+b&c=d;e,f"),
        ("\0\n", "https://foo.bar/v1/%00%0A"),
        ("\\", "https://foo.bar/v1/%5C"),
    ])
    func `3.2 path text is never read as a URL`(path: String, expected: String) throws {
        let base = try (BaseURL("https://foo.bar/v1/"))
        #expect(base.resource(path).string == expected)
    }

    @Test(arguments: [
        ("https://foo.bar/v1?key=1", "x", "https://foo.bar/v1/x?key=1"),
        ("https://foo.bar?a=/", "", "https://foo.bar/?a=/"),
        ("https://foo.bar/v1/?key=1&key=+", "/x?y", "https://foo.bar/v1/x%3Fy?key=1&key=+"),
    ])
    func `3.3 the query of the base survives`(base: String, path: String, expected: String) throws {
        #expect(try (BaseURL(base)).resource(path).string == expected)
    }

    @Test(arguments: [
        ("https://other.host", "x", "https://other.host/x"),
        ("https://other.host/v2", "x", "https://other.host/v2/x"),
        ("https://other.host/v2", "/x", "https://other.host/v2/x"),
        ("https://other.host/v2/", "/x", "https://other.host/v2/x"),
        ("https://other.host/v2/", "//x", "https://other.host/v2//x"),
        ("https://other.host/v2?k", "x", "https://other.host/v2/x?k"),
        ("./foo", "x", "./foo/x"),
        ("?q", "//host", "/.//host?q"),
    ])
    func `1.8 an ad hoc base is joined with a slash`(base: String, path: String, expected: String) throws {
        #expect(try #require(URLText(base)).appendingPath(path).string == expected)
    }

    @Test(arguments: [
        ("", "https://h/a/b/"), ("/", "https://h/a/b/"), ("c", "https://h/a/b/c"), ("/c", "https://h/a/b/c"),
        ("c/", "https://h/a/b/c/"), ("..c", "https://h/a/b/..c"),
        ("//o/c", "https://h/a/b//o/c"), ("ftp://o", "https://h/a/b/ftp://o"), ("?x", "https://h/a/b/%3Fx"),
        ("%41", "https://h/a/b/%2541"),
    ])
    func `3.4 child appends to the path`(text: String, expected: String) throws {
        #expect(try #require(URLText("https://h/a/b")).child(text)?.string == expected)
        #expect(try #require(URLText("https://h/a/b/")).child(text)?.string == expected)
        #expect(try #require(URLText("https://h/a/b?q=1")).child(text)?.string == expected + "?q=1")
    }
}
