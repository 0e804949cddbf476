import RestEngine
import Testing

struct GlobPatternTests {
    private func matches(_ pattern: String, _ url: String, base: String? = "https://foo.bar/v1") throws
        -> Bool
    {
        let glob = try GlobPattern(pattern, base: base.flatMap(BaseURL.init))
        return glob.matches(try #require(URLText(url)))
    }

    @Test(arguments: [
        ("/users", "users", true), ("users", "users", true), ("users", "users/", false),
        ("users/", "users", false),
        ("users", "user", false), ("users", "Users", false), ("users", "x/users", false),
        ("//users", "/users", true),
        ("//users", "users", false), ("", "", true), ("/", "", true), ("", "x", false),
    ])
    func `14.9 a glob is relative to the base, its leading slash is optional`(
        pattern: String, path: String, expected: Bool
    ) throws {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
        #expect(try !matches(pattern, "https://foo.bar/" + path))
        #expect(try !matches(pattern, "https://other.bar/v1/" + path))
    }

    @Test(arguments: [
        ("users/*", "users/1", true), ("users/*", "users/", true), ("users/*", "users", false),
        ("users/*", "users/1/x", false), ("*/x", "/x", true), ("*/x", "a/b/x", false), ("a*c", "ac", true),
        ("a*c", "abbc", true), ("a*c", "a/c", false), ("*.json", "a.json", true),
        ("*.json", "a.jsonx", false),
        ("*a*a*", "banana", true), ("*a*a*", "bana/na", false), ("*", "", true), ("*", "x", true),
        ("*", "x/", false),
    ])
    func `14.9 a star is zero or more characters of one segment`(
        pattern: String, path: String, expected: Bool
    ) throws {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
    }

    @Test(arguments: [
        ("**", "", true), ("**", "a/b/c", true), ("a/**", "a/", true), ("a/**", "a", false),
        ("a/**", "a/b/c", true),
        ("a**", "a", true), ("a**", "ab/c", true), ("**/x", "x", true), ("**/x", "a/b/x", true),
        ("**/x", "ax", false),
        ("**/x", "/x", true), ("a/**/x", "a/x", true), ("a/**/x", "a/b/c/x", true), ("a/**/x", "ax", false),
        ("**/*.json", "x.json", true), ("**/*.json", "a/b.json", true), ("**.json", "a/b.json", true),
        ("a**/x", "ax", true), ("a**/x", "a/x", true), ("a**/x", "ab/c/x", true), ("a**/x", "abx", false),
        ("**/a/**/b", "a/b", true), ("**/a/**/b", "x/a/y/z/b", true), ("**/a/**/b", "b/a", false),
        ("**a**", "xx/a/yy", true), ("**a**", "xx/b/yy", false), ("**/", "", true), ("**/", "a/", true),
        ("**/", "a", false), ("***", "a/b", true), ("***/x", "x", true), ("***/x", "yx", true),
        ("****/x", "a/bx", true),
    ])
    func `14.9 two stars are anything, and with a slash perhaps nothing`(
        pattern: String, path: String, expected: Bool
    )
        throws
    {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
    }

    @Test(arguments: [
        ("?", "x", true), ("?", "", false), ("?", "/", false), ("?", "xy", false), ("a?c", "abc", true),
        ("a?c", "a/c", false), ("a?c", "ac", false), ("v?/**", "v1/x", true), ("??*", "a", false),
        ("??*", "abc", true),
        ("?", "%C3%A9", false), ("??????", "%C3%A9", true),
    ])
    func `14.9 a question mark is exactly one character of the encoded text`(
        pattern: String, path: String, expected: Bool
    ) throws {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
    }

    @Test(arguments: [
        ("a*", "a?b/c", true), ("a", "a?", true), ("a", "a?x=/y", true), ("a", "a#f", true),
        ("a", "a?q#f", true),
        ("a?b", "a?b", false), ("a*c", "a?c", false), ("**c", "a?c", false), ("a", "a#?", true),
    ])
    func `14.9, D20 query and fragment of the URL are ignored`(pattern: String, path: String, expected: Bool)
        throws
    {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
    }

    @Test(arguments: ["https://foo.bar/v1?key=1", "https://foo.bar/v1/?a*b=?", "HTTPS://FOO.bar:443/v1#f"])
    func `D20 of the base, query and fragment are no part of the pattern`(base: String) throws {
        #expect(try matches("**", "https://foo.bar/v1/x?key=2", base: base))
        #expect(try matches("x", "https://foo.bar/v1/x", base: base))
        #expect(try !matches("x", "https://foo.bar/v1/y", base: base))
    }

    @Test func `D20 nothing of the base is a wildcard`() throws {
        #expect(try matches("x", "https://foo.bar/*/x", base: "https://foo.bar/*"))
        #expect(try !matches("x", "https://foo.bar/a/x", base: "https://foo.bar/*"))
    }

    @Test func `14.10, D28 two stars are everything under the base and nothing else`() throws {
        for path in ["/", "/x", "/x/y?z", "/?q"] {
            #expect(try matches("**", "https://foo.bar/v1" + path))
            #expect(try matches("/**", "https://foo.bar/v1" + path))
        }
        for url in [
            "https://foo.bar/v1", "https://foo.bar/v1?q", "https://foo.bar/v10", "https://foo.bar/",
            "http://foo.bar/v1/",
            "https://foo.bar:8443/v1/", "https://u@foo.bar/v1/", "https://foo.bar.evil/v1/",
            "https://evil/?https://foo.bar/v1/", "https://foo.bar/V1/", "https://evil/https://foo.bar/v1/",
        ] {
            #expect(try !matches("**", url))
        }
    }

    @Test(arguments: [
        ("https://api.*/x", "https://api.example/x", true),
        ("https://*.Example.com/**", "https://a.example.com/x", true),
        ("https://*.Example.com/**", "https://a/b.example.com/x", false),
        ("HTTPS://Foo.BAR/X", "https://foo.bar/X", true),
        ("HTTPS://Foo.BAR/X", "https://foo.bar/x", false), ("http://h:80/x", "http://h/x", true),
        ("http://h", "http://h/", true), ("http://h", "http://h/x", false),
        ("https://**", "https://any/x/y", true),
        ("http:**", "http://h/x", true), ("http:**", "https://h/x", false), ("https://*", "https://h/", true),
        ("https://User@Host/", "https://User@host/", true), ("https://**foo", "https://h/xfoo", true),
        ("https://*:443/x", "https://h/x", true), ("mailto:*", "mailto:a@b", true),
    ])
    func `14.9, D20 with a scheme the pattern stands alone`(pattern: String, url: String, expected: Bool)
        throws
    {
        #expect(try matches(pattern, url) == expected)
        #expect(try matches(pattern, url, base: nil) == expected)
    }

    @Test(arguments: [
        ("**", "https://h/x", true), ("**/x", "https://h/x", true), ("/x", "https://h/x", false),
        ("/x", "/x", true),
        ("*://h/x", "https://h/x", true), ("", "https://h/", false), ("./*", "./foo", true),
    ])
    func `1.4, 14.9 without a base the pattern stands alone`(pattern: String, url: String, expected: Bool)
        throws
    {
        #expect(try matches(pattern, url, base: nil) == expected)
    }

    @Test(arguments: [
        ("caf\u{E9}/*", "caf%C3%A9/1", true), ("a b", "a%20b", true), ("caf%C3%A9", "caf%C3%A9", true),
        ("caf%c3%a9", "caf%C3%A9", false), ("a.c", "abc", false),
        ("a+(b)[c]^$|{1}\\", "a+(b)[c]^$|{1}\\", true),
        ("%zz", "%zz", true), ("%2A", "*", false), ("..", "..", true),
    ])
    func `14.9 the encoded text is matched, and no other character is special`(
        pattern: String, path: String, expected: Bool
    ) throws {
        #expect(try matches(pattern, "https://foo.bar/v1/" + path) == expected)
    }

    @Test(arguments: [("a\0", 1), ("\n", 0), ("a/b#c", 3), ("é\u{7F}", 2)])
    func `14.9 text that no URL can have is an error with its place`(pattern: String, offset: Int) throws {
        let error = #expect(throws: PatternError.self) { try GlobPattern(pattern) }
        #expect(error?.code == .badGlob)
        #expect(error?.offset == offset)
        #expect(error?.suggestion != nil)
    }
}
