import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct PatternTests {
    /// The URLs, out of a list, to which a block with this pattern applies.
    private func matches(_ pattern: String) throws -> [String] {
        try output(
            """
            local other = rest.service { name = "other" }
            api:configure(\(pattern)function(c) c.expiration_time = 99 end)
            local urls = { "https://api.test/v1/", "https://api.test/v1/a", "https://api.test/v1/a/b?q=1", "https://x.test/a" }
            for _, url in ipairs(urls) do
              if api:resource_at(url).configuration.expiration_time == 99 then print(url) end
            end
            """)
    }

    private static let urls = [
        "https://api.test/v1/", "https://api.test/v1/a", "https://api.test/v1/a/b?q=1", "https://x.test/a",
    ]

    @Test(arguments: [
        ("", [0, 1, 2, 3]), (#""**", "#, [0, 1, 2]), (#""/a", "#, [1]),
        (#""*", "#, [0, 1]),
        (#""a/?", "#, [2]), (#""https://x.test/*", "#, [3]), (#"rest.regex("q=\\d"), "#, [2]),
        (#"rest.regex("V1/A", "i"), "#, [1, 2]), (#"api:resource("a"), "#, [1]),
        ("function(url) return url.host == 'x.test' end, ", [3]),
        (
            "function(url) return url.query == 'q=1' and url.path == '/v1/a/b' and url.scheme == 'https' end, ",
            [2]
        ),
        ("function(url) return url.string == api:resource('a').url end, ", [1]),
        ("function(url) return url.port or url.fragment end, ", []),
    ])
    func `a pattern chooses resources by URL`(pattern: String, expected: [Int]) throws {
        #expect(try matches(pattern) == expected.map { Self.urls[$0] })
    }

    @Test(arguments: [
        ("api:configure('[', print)", nil),
        (
            "api:configure(rest.regex('('), print)",
            "bad regular expression: missing closing parenthesis in pattern '(' at byte 2: write \\ before a character that stands for itself"
        ),
        (
            "rest.regex('a', 'x')",
            "bad regular expression: unknown option 'x' in pattern 'a': the only option is 'i', for letters of either case"
        ),
        ("rest.regex()", "bad argument #1 'pattern' to 'rest.regex' (string expected, got no value)"),
        (
            "api:configure(5, print)",
            "bad argument #1 'pattern' to 'configure' (glob, rest.regex(…), resource or function expected, got number)"
        ),
        (
            "api:configure(api:resource_at(nil), print)",
            "bad argument #1 'pattern' to 'configure' (the resource is invalid, so nothing is at its URL)"
        ),
    ])
    func `a bad pattern is refused`(source: String, message: String?) {
        #expect(loadError(source) == message.map { "1: \($0)" })
    }

    @Test func `a predicate that fails, fails the request`() throws {
        try expect(
            """
            api:configure(function(url) return url.nothing.there end, function(c) end)
            rest.spawn(function()
              local _, err = api:resource("json"):get()
              print(err.user_message, err.cause.type, err.cause.line, err.cause.message)
            end)
            print(rest.regex("a+"))
            """,
            prints: [
                "/a+/", "Script error\tscript_error\t1\tattempt to index a nil value (field 'nothing')",
            ])
    }
}
