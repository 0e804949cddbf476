import RestEngine
import Testing

struct URLPatternTests {
    private func url(_ text: String) throws -> URLText {
        try #require(URLText(text))
    }

    @Test func `14.11 a regular expression is searched for in the whole URL, query included`() throws {
        let regex = try CompiledRegex("b.r/v\\d+\\?k=[ab]$")
        #expect(try regex.matches(url("https://foo.bar/v12?k=a")))
        #expect(try !regex.matches(url("https://foo.bar/v12?k=ab")))
        #expect(try CompiledRegex("").matches(url("https://foo.bar/")))
        #expect(try CompiledRegex("").matches(""))
        #expect(try CompiledRegex("#f$").matches(url("https://foo.bar/#f")))
    }

    @Test func `14.11 options are honoured`() throws {
        #expect(try CompiledRegex("/USERS", options: "i").matches(url("https://h/users")))
        #expect(try !CompiledRegex("/USERS").matches(url("https://h/users")))
        let error = #expect(throws: PatternError.self) { try CompiledRegex("a", options: "ix") }
        #expect(error?.code == .badRegexOption)
        #expect(error?.message == "unknown option 'x'")
    }

    @Test(arguments: [("a(b", 3), ("a[b", 3), ("*a", 0), ("a)b", 1), ("(?<x", 4), ("\\C", 2), ("é(", 3)])
    func `14.11 a malformed expression is an error with its place`(pattern: String, offset: Int) {
        let error = #expect(throws: PatternError.self) { try CompiledRegex(pattern) }
        #expect(error?.code == .badRegex)
        #expect(error?.offset == offset)
        #expect(error?.message.isEmpty == false)
        #expect(error?.suggestion != nil)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "(a+)+$", "(a|aa)+$", "(?:a*)*[bc]", "((a*)*)*\\1[bc]", "(.*)*(.*)*(.*)*[xy]", "a*a*a*a*a*a*[bc]",
        ])
    func `14.11 an expression that would take for ever is an error`(pattern: String) throws {
        let text = String(repeating: "a", count: 3000) + "!"
        let regex = try CompiledRegex(pattern)
        let error = #expect(throws: PatternError.self) { try regex.matches(text) }
        #expect(error?.code == .regexTooExpensive)
    }

    @Test func `14.11 innocent expressions are not too expensive`() throws {
        let long = "https://h/" + String(repeating: "a/", count: 2000)
        #expect(try !CompiledRegex("/users/.*x").matches(long))
        #expect(try !CompiledRegex("^https?://[^/]+/.*\\.json$").matches(long))
        #expect(try CompiledRegex("a/$").matches(long))
        #expect(try CompiledRegex("(?:a/)+$").matches(long))
        let error = #expect(throws: PatternError.self) {
            try CompiledRegex("b").matches(long + String(repeating: "a", count: 5000))
        }
        #expect(error?.code == .regexTooExpensive)
    }

    @Test func `14.12 a resource is exactly its URL`() throws {
        let pattern = URLPattern.resource(try url("https://H:443/a?x=1"))
        #expect(try pattern.matches(url("https://h/a?x=1")) { _ in false })
        #expect(try !pattern.matches(url("https://h/a")) { _ in true })
        #expect(try !pattern.matches(url("https://h/a?x=1#f")) { _ in true })
    }

    @Test func `14.13 a predicate is evaluated by its owner, whose error passes`() throws {
        struct Failure: Error {}
        let pattern = URLPattern.predicate(7)
        let any = try url("https://h/")
        #expect(try pattern.matches(any) { $0 == 7 })
        #expect(throws: Failure.self) { try pattern.matches(any) { _ in throw Failure() } }
    }

    @Test(arguments: ["https://other/x", "./foo", "mailto:a@b"])
    func `14.15 no pattern is every URL, other hosts included`(text: String) throws {
        #expect(try URLPattern.all.matches(url(text)) { _ in false })
    }

    @Test func `14.9 an error says what, where and what to do`() {
        let error = #expect(throws: PatternError.self) { try URLPattern.glob("a#b", base: nil) }
        #expect(
            error?.description == "fragment in pattern 'a#b' at byte 2: "
                + "the fragment of a URL is ignored; write %23 for a '#' in a path")
    }
}
