import TestSupport
import Testing

@testable import RestEngine

struct ForeignPatternTests {
    @Test(arguments: [
        ("/users/{id}", "'*' is any one segment: write \"/users/*\""),
        ("/users/{id}/repos/{name}", "'*' is any one segment: write \"/users/*/repos/*\""),
        ("/users/:id/repos", "'*' is any one segment: write \"/users/*/repos\""),
        (":id", "'*' is any one segment: write \"*\""),
        ("https://a.test/x/:id", "'*' is any one segment: write \"https://a.test/x/*\""),
        ("/{a,b}", "write a block for each, or search with rest.regex(\"…|…\")"),
        ("/a|/b", "write a block for each, or search with rest.regex(\"…|…\")"),
        ("/[a-z]*", "'?' is any one character; rest.regex(\"[a-z]\") has sets"),
        ("^/users", "write it as rest.regex(\"…\"), which searches the whole URL"),
        ("/users$", "write it as rest.regex(\"…\"), which searches the whole URL"),
        ("/users/%d+", "'*' is any text without '/'; rest.regex(\"\\\\d+\") has classes"),
    ]) func `globs written as other programs have them`(glob: String, hint: String) {
        #expect(ForeignPattern(glob: glob)?.hint == hint)
    }

    @Test(arguments: [
        "/users/*", "**", "/files/**/x.*", "/a%20b", "/a%da", "http://[::1]:8080/**", "https://a.test:8080/x",
        "/v1/things:batch",
        "/odata/users('x')", "/~me/?", "/@scope/a+b", "",
    ]) func `globs that are written as globs`(glob: String) {
        #expect(ForeignPattern(glob: glob) == nil)
    }

    @Test func `regular expressions with what only Lua's patterns have`() {
        #expect(
            ForeignPattern(regex: "/users/%d+$")?.hint == "write \\\\ for %: rest.regex(\"/users/\\\\d+$\")")
        for text in ["/users/\\d+", "a%20b", "%dab", "100%"] { #expect(ForeignPattern(regex: text) == nil) }
    }
}
