import RestClient
import Testing

/// Each case of headers, queries, paths and bodies by row (rules 35–38): the input and its result.
struct PropertyRowsTests {
    private static let base = "https://example.com/r"

    // MARK: Headers

    private static let headerRows: [([Header], [String])] = [
        ([Header("first", "1"), Header("second", "2"), Header("second", "3")], ["first: 1", "second: 3"]),
        ([Header(.accept, "a"), Header("accept", "b")], ["Accept: a, b"]),
        ([Header(.accept, ""), Header(.accept, "a")], ["Accept: a"]),
        ([Header(.accept, "a"), Header(.accept, "a")], ["Accept: a, a"]),
        ([.authorization(.basic, value: "abcd")], ["Authorization: Basic abcd"]),
        ([.authorization(.bearer, value: "abcd")], ["Authorization: Bearer abcd"]),
        ([.authorization(.digest, value: "abcd")], ["Authorization: Digest abcd"]),
        ([.authorization("some")], ["Authorization: some"]),
        (
            [.authorization(.basic, value: "a"), .authorization(.bearer, value: "b")],
            ["Authorization: Bearer b"]
        ),
        ([.cacheControl("no-cache"), .cacheControl("no-store")], ["Cache-Control: no-cache, no-store"]),
        ([.acceptLanguage("en"), .acceptLanguage("de;q=0.5")], ["Accept-Language: en, de;q=0.5"]),
        ([.contentType(.applicationJSON), .contentType(.textPlain)], ["Content-Type: text/plain"]),
        ([Header("X", "")], ["X: "]),
        ([], []),
    ]

    @Test(arguments: headerRows) func `headers`(given: [Header], lines: [String]) {
        let together = APIRequest(.get, url: Self.base) {
            for header in given { header }
        }
        #expect(together.headers?.map { "\($0.name): \($0.value)" } == lines)
        let oneByOne = given.reduce(APIRequest(.get, url: Self.base)) { $0.adding($1) }
        #expect(oneByOne == together)
        let grouped = APIRequest(.get, url: Self.base) { Headers { for header in given { header } } }
        #expect(grouped == together && grouped.hashValue == together.hashValue)
    }

    // MARK: Query

    private static let queryRows: [([Query], String)] = [
        ([Query("first", "value")], "?first=value"),
        ([Query("key1", "a"), Query("key2", "b"), Query("key2", "c")], "?key1=a&key2=b&key2=c"),
        ([Query("z", 1), Query("a", 2), Query("m", 3)], "?z=1&a=2&m=3"),
        ([Query("test", true), Query("test", false)], "?test=true&test=false"),
        ([Query("n", 1.5), Query("n", 2.0), Query("n", -3)], "?n=1.5&n=2&n=-3"),
        ([Query("k")], "?k"), ([Query("k", "")], "?k="), ([], ""),
        ([Query("v", "a b")], "?v=a%20b"), ([Query("v", "a&b")], "?v=a%26b"),
        ([Query("v", "a=b")], "?v=a%3Db"), ([Query("v", "a#b")], "?v=a%23b"),
        ([Query("v", "é")], "?v=%C3%A9"), ([Query("v", "a+b")], "?v=a%2Bb"),
        ([Query("v", "a%20b")], "?v=a%2520b"), ([Query("v", "[1]")], "?v=%5B1%5D"),
        ([Query("v", "{x}")], "?v=%7Bx%7D"), ([Query("v", "|")], "?v=%7C"), ([Query("v", "\"")], "?v=%22"),
        ([Query("v", "\n")], "?v=%0A"), ([Query("k[]", 1)], "?k%5B%5D=1"),
        ([Query("k[a]", 1)], "?k%5Ba%5D=1"),
        ([Query("", "v")], "?=v"), ([Query("k", [1, 2])], "?k=1&k=2"), ([Query("k", [] as [Int])], ""),
    ]

    @Test(arguments: queryRows) func `queries`(given: [Query], query: String) {
        let request = APIRequest(.get, url: Self.base) { QueryItems { for item in given { item } } }
        #expect(request.url == Self.base + query)
        // The base's query stays.
        let behind = APIRequest(.get, url: Self.base + "?x=1#frag") { for item in given { item } }
        #expect(
            behind.url?.split(separator: "#").first.map(String.init)
                == Self.base + "?x=1" + (query.isEmpty ? "" : "&" + query.dropFirst()))
    }

    // MARK: Path

    private static let pathRows: [([any PathConvertible], String)] = [
        (["first", "second", "", 3, "second"], "/first/second/3/second"), (["", "a", ""], "/a"),
        (["a", 2, true, 3.5], "/a/2/true/3.5"), (["suf fix"], "/suf%20fix"), (["a/b"], "/a%2Fb"),
        (["/a"], "/%2Fa"), (["a/"], "/a%2F"), (["?"], "/%3F"), (["#"], "/%23"), (["%"], "/%25"),
        (["|"], "/%7C"),
        (["\\"], "/%5C"), (["[ ]"], "/%5B%20%5D"), (["{ }"], "/%7B%20%7D"), (["\0"], "/%00"),
        (["\n"], "/%0A"),
        (["a%20b"], "/a%2520b"), ([";:@&=~"], "/;:@&=~"), ([], ""),
    ]

    @Test(arguments: pathRows.indices) func `paths`(row: Int) {
        let (given, path) = Self.pathRows[row]
        let request = APIRequest(.get, url: Self.base) {
            PathComponents { for component in given { PathComponents { Opened.components(component) } } }
        }
        #expect(request.url == Self.base + path)
    }

    @Test(arguments: [".", "..", "%2e%2E"]) func `dot segments are refused`(text: String) {
        #expect(APIRequest(.get, url: Self.base) { PathComponents { text } }.failure?.code == .dotSegment)
        #expect(APIRequest(.get, url: Self.base) { Path(text) }.failure?.code == .dotSegment)
    }

    private static let baseRows: [(String, String, String, String)] = [
        (
            "https://example.com", "https://example.com/p", "https://example.com/p/?k=v",
            "https://example.com/?k=v"
        ),
        (
            "https://example.com/", "https://example.com/p", "https://example.com/p/?k=v",
            "https://example.com/?k=v"
        ),
        (
            "https://example.com/a", "https://example.com/a/p", "https://example.com/a/p/?k=v",
            "https://example.com/a?k=v"
        ),
    ]

    @Test(arguments: baseRows) func `bases, with and without a slash behind`(
        row: (base: String, path: String, slash: String, query: String)
    ) {
        #expect(APIRequest(.get, url: row.base) { PathComponents { "p" } }.url == row.path)
        #expect(
            APIRequest(.get, url: row.base) {
                Path("p/")
                Query("k", "v")
            }.url == row.slash)
        #expect(APIRequest(.get, url: row.base) { Query("k", "v") }.url == row.query)
    }

    // MARK: Body

    private static let bodyRows: [(Body, String?)] = [
        (Body { [1, 2] }, "[1,2]"), (Body { ["key": "value"] }, #"{"key":"value"}"#),
        (Body { ["name": "value", "status": false] }, #"{"name":"value","status":false}"#),
        (Body { Person(name: "abc") }, #"{"name":"abc"}"#), (Body { ["url": "a/b"] }, #"{"url":"a/b"}"#),
        (Body { "hi" }, "hi"), (Body("hi"), "hi"), (Body(Array("hi".utf8)), "hi"),
        (Body { [String: Int]() }, "{}"), (Body { [UInt8]() }, ""), (Body {}, nil),
    ]

    @Test(arguments: bodyRows.indices) func `bodies`(row: Int) {
        let (body, text) = Self.bodyRows[row]
        let request = APIRequest(.post, url: Self.base) { body }
        #expect(request.body?.bytes.map { String(decoding: $0, as: UTF8.self) } == text)
        #expect(request == APIRequest(.post, url: Self.base).body(body))
    }

    @Test(arguments: [Body { 5 }, Body { Double.nan }, Body { true }, Body { [Double.infinity] }])
    func `what makes no JSON is the error of the request`(body: Body) async throws {
        let api = try await StubbedService()
        let request = APIRequest(.post, url: Self.base, session: api.session) { body }
        let error = await #expect(throws: RequestError.self) { try await request() }
        #expect(error?.code == "invalid_json_object")
        #expect(await api.sent == [])
    }
}

/// Components whose types only the row knows.
private enum Opened {
    static func components(_ component: some PathConvertible) -> PathComponents {
        PathComponents { component }
    }
}
