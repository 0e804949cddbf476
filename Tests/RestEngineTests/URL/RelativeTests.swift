import RestEngine
import Testing

struct RelativeTests {
    @Test(arguments: [
        ("c", "https://h/v1/a/c"), ("./c", "https://h/v1/a/c"), ("../c", "https://h/v1/c"),
        ("../../../../c", "https://h/c"), ("c/./d/../e", "https://h/v1/a/c/e"), (".", "https://h/v1/a/"),
        ("..", "https://h/v1/"), ("/c", "https://h/c"), ("//Other.host/c", "https://other.host/c"),
        ("//o:443/", "https://o/"), ("//o:80/", "https://o:80/"), ("//o", "https://o/"),
        ("http://O/c/../d", "http://o/d"), ("?x=1", "https://h/v1/a/b?x=1"), ("?", "https://h/v1/a/b?"),
        ("?z=1&a=2&a=3", "https://h/v1/a/b?z=1&a=2&a=3"), ("c?", "https://h/v1/a/c?"),
        ("#s", "https://h/v1/a/b?q=0#s"), ("", "https://h/v1/a/b?q=0"),
        ("%2e%2e/c", "https://h/v1/a/%2e%2e/c"),
        ("c%zz", "https://h/v1/a/c%zz"), ("é", "https://h/v1/a/%C3%A9"), ("a//b", "https://h/v1/a/a//b"),
        ("x+y", "https://h/v1/a/x+y"), ("mailto:a@b", "mailto:a@b"),
    ])
    func `3.5 an href is followed like a link`(href: String, expected: String) throws {
        let url = try #require(URLText("https://h/v1/a/b?q=0#f"))
        #expect(url.relative(href)?.string == expected)
    }

    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func `3.5 the examples of RFC 3986 5.4`(href: String, expected: String) throws {
        let url = try #require(URLText("http://a/b/c/d;p?q"))
        #expect(url.relative(href)?.string == expected)
    }

    @Test(arguments: ["a\nb", "\0", "//[x/", "http://h:x/", "//a b/", "http://a b/c"])
    func `2.5, 3.5 an href that is no URL`(href: String) throws {
        #expect(try #require(URLText("http://h/")).relative(href) == nil)
    }

    @Test(arguments: [
        ("a b", "http://h/x/a%20b"), (" a ", "http://h/x/a"), ("  ", "http://h/x/y?q=1"),
        ("a b?c d=<e>#f \"g`", "http://h/x/a%20b?c%20d=%3Ce%3E#f%20%22g%60"),
        ("{id}`", "http://h/x/%7Bid%7D%60"),
        ("?{a}`|^\\", "http://h/x/y?{a}`|^\\"), ("a%20b c", "http://h/x/a%20b%20c"),
        ("http://other.test/a b", "http://other.test/a%20b"), ("a b:c", "http://h/x/a%20b:c"),
    ])
    func `D32 what a browser escapes in a link is escaped`(href: String, expected: String) throws {
        #expect(try #require(URLText("http://h/x/y?q=1")).relative(href)?.string == expected)
    }

    @Test(arguments: [
        "..", ".", "../x", "a/..", "a/./b", "/..", "%2e%2e", "%2E.", "a/%252e%252e/b", "%2e", "..\\x",
        "a\\..\\b",
        "%2e%2e%2fx", "%5c..", "..;v=1", "a%2f..%2fb",
    ])
    func `D31 a child never leaves its parent`(text: String) throws {
        for parent in ["http://h/a", "http://h/a/"] {
            #expect(try #require(URLText(parent)).child(text) == nil)
        }
    }

    @Test(arguments: ["...", "a..b", "..a", ".well-known", "a.", "v1.0/x", "%2", "a%2fb", "a\\b", ""])
    func `D31 dots in a name are a name`(text: String) throws {
        let parent = try #require(URLText("http://h/a"))
        #expect(parent.child(text) == parent.appendingPath(text))
    }

    @Test func `3.6 nothing in, nothing out`() throws {
        let url = try #require(URLText("https://h/a"))
        #expect(url.optionalRelative(nil) == nil)
        #expect(url.optionalRelative("b")?.string == "https://h/b")
    }

    @Test func `3.5 a path is never taken for a host or a scheme`() {
        #expect(URLText("x:/a")?.relative(".//b")?.string == "x:/.//b")
        #expect(URLText("a")?.relative("./b:c")?.string == "./b:c")
    }
}
