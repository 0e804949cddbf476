import RestEngine
import Testing

struct ParameterTests {
    private func url(_ query: String) throws -> URLText {
        try #require(URLText("https://h/p" + query))
    }

    @Test(arguments: [
        ("", "a", "1", "?a=1"), ("?b=2", "a", "1", "?a=1&b=2"), ("?a=0&b=2", "b", "3", "?a=0&b=3"),
        ("?z&y&x", "y", "1", "?x&y=1&z"), ("?B=1&a=1", "C", "1", "?B=1&C=1&a=1"),
        ("", "a b", "c d", "?a%20b=c%20d"),
        ("", "n=m", "v=w", "?n%3Dm=v%3Dw"), ("", "a+b", "c+d", "?a%2Bb=c%2Bd"),
        ("", "a&b", "c&d", "?a%26b=c%26d"),
        ("", "é", "漢", "?%C3%A9=%E6%BC%A2"), ("", "x", "%zz", "?x=%25zz"), ("", "x", "#", "?x=%23"),
        ("?", "a", "1", "?a=1"), ("?&&b&", "a", "1", "?a=1&b"), ("", "", "v", "?=v"),
        ("#f", "a", "1", "?a=1#f"),
    ])
    func `3.7 a parameter is added or replaced, and all are sorted`(
        query: String, name: String, value: String, expected: String
    ) throws {
        #expect(try url(query).withParam(name, value).string == "https://h/p" + expected)
    }

    @Test(arguments: [
        ("", "x", "?x"), ("?x=1", "x", "?x"), ("?x=", "x", "?x"), ("?x=&y=", "x", "?x&y="), ("", "", "?="),
    ])
    func `3.8, D19 a new empty value is a bare name`(query: String, name: String, expected: String) throws {
        #expect(try url(query).withParam(name, "").string == "https://h/p" + expected)
    }

    @Test(arguments: [
        ("?x=1", "x", ""), ("?x", "x", ""), ("?x=1&y", "x", "?y"), ("?a&x=1&x=2", "x", "?a"), ("", "x", ""),
        ("?b&a", "x", "?a&b"), ("?", "x", ""), ("?x=1#f", "x", "#f"), ("?%78=1", "x", ""), ("?=1", "", ""),
    ])
    func `3.9 nil removes, and the question mark goes with the last`(
        query: String, name: String, expected: String
    )
        throws
    {
        #expect(try url(query).withParam(name, nil).string == "https://h/p" + expected)
    }

    @Test func `3.10 many in one step`() throws {
        let changes: [(name: String, values: [String])] = [
            ("b", []), ("d", ["4"]), ("a", ["x", "y"]), ("e", [""]),
        ]
        #expect(try url("?c=3&b=2&d").withParams(changes).string == "https://h/p?a=x&a=y&c=3&d=4&e")
        #expect(try url("?c=3&b=2").withParams([]).string == "https://h/p?b=2&c=3")
        #expect(try url("").withParams([("a", ["1"]), ("a", ["2"])]).string == "https://h/p?a=2")
    }

    @Test func `D19 repeats are kept in order, and a list sets them`() throws {
        #expect(try url("?t=2&a&t=1&t=3").withParam("z", "9").string == "https://h/p?a&t=2&t=1&t=3&z=9")
        #expect(try url("?t=2&t=1").withParam("t", ["b", "", "a"]).string == "https://h/p?t=b&t&t=a")
        #expect(try url("?t=2&t=1").withParam("t", "0").string == "https://h/p?t=0")
        #expect(try url("?t=2&t=1").withParam("t", []).string == "https://h/p")
    }

    @Test(arguments: [
        "a=x+y", "a=", "a=%7e", "a=%zz", "a==b", "a=b%2b", "%61=1", "a=%C3%A9", "a=%ff", "a/b?c=d",
    ])
    func `D19 an untouched parameter keeps its exact text`(text: String) throws {
        #expect(try url("?" + text).withParam("z", "1").string == "https://h/p?\(text)&z=1")
    }

    @Test func `D29 names and values keep what the grammar allows`() throws {
        let kept = "aZ09-._~!$'()*,;:@/?"
        #expect(try url("").withParam(kept, kept).string == "https://h/p?\(kept)=\(kept)")
        #expect(
            try url("").withParam("x", "&=+ %\"<>[]{}|\\^`#").query
                == "x=%26%3D%2B%20%25%22%3C%3E%5B%5D%7B%7D%7C%5C%5E%60%23")
    }

    @Test func `3.7 names are compared decoded, by byte`() throws {
        #expect(try url("?%61=1&b=2").withParam("a", "9").string == "https://h/p?a=9&b=2")
        #expect(try url("?%62=1&c&a").withParam("d", "").string == "https://h/p?a&%62=1&c&d")
        #expect(try url("?e%CC%81=1").withParam("\u{E9}", "2").query == "e%CC%81=1&%C3%A9=2")
        #expect(try url("?%ff=1&%fe=1").withParam("\u{FFFD}", "2").query == "%EF%BF%BD=2&%fe=1&%ff=1")
    }

    @Test func `3.11 pairs, raw and decoded`() throws {
        let pairs = try url("?a=1&&b&c=&d%20e=f%2Bg+h=i&=j&k=%zz").parameters
        #expect(pairs.map(\.name) == ["a", "b", "c", "d e", "", "k"])
        #expect(pairs.map(\.value) == ["1", "", "", "f+g+h=i", "j", "%zz"])
        #expect(pairs.map(\.rawValue) == ["1", nil, "", "f%2Bg+h=i", "j", "%zz"])
        #expect(pairs.map(\.text) == ["a=1", "b", "c=", "d%20e=f%2Bg+h=i", "=j", "k=%zz"])
        #expect(try url("").parameters.isEmpty)
    }
}
