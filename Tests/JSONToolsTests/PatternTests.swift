import Testing

@testable import JSONTools

struct PatternTests {
    @Test(arguments: [
        ("a.c", "abc", true), ("a.c", "a\nc", false), ("a.c", "a\u{2028}c", true), ("[ab]{2,3}", "aba", true),
        ("[^a-c]+", "xyz", true), ("[a-c-]", "-", true), ("a|b", "ab", false), ("(ab)*", "abab", true),
        (#"\p{Lu}\P{Lu}"#, "Ab", true), (#"[\p{N}x]+"#, "1x2", true), (#"\("#, "(", true), ("#", "#", true),
        ("a b", "a b", true), ("ab", "ab\n", false), (#"[\n]"#, "\n", true), ("€+", "€€", true),
    ]) func `RFC 9485 expressions match whole texts`(pattern: String, text: String, matches: Bool) throws {
        #expect(try #require(IRegexp(pattern)).matches(text, isAnchored: true) == matches)
    }

    @Test(arguments: [
        "a**", "*a", "(a", "a)", "[a", "[]", "[b-a]", "a{", "a{2", "a{,2}", #"\d"#, #"\w"#, #"\b"#, "(?:a)",
        "a+?",
        #"\p{Lz}"#, #"\p{Latin}"#, #"\"#, "a}", "]", "[[a]", "[a-b-c]", "a{3,2}", "a{70000}",
        String(repeating: "(", count: 101) + String(repeating: ")", count: 101),
        String(repeating: "a", count: 4097), "((a{1000}){1000}){1000}",
    ]) func `other dialects are no RFC 9485 expressions`(pattern: String) {
        #expect(IRegexp(pattern) == nil)
    }

    @Test(arguments: [
        ("^a$", "a", true), ("^a$", "a\n", false), (#"\d+"#, "x12", true), (#"^\S+$"#, "a\u{A0}b", false),
        (#"^\s$"#, "\u{FEFF}", true), (#"[\d-]"#, "-", true), (#"\u0041\x42\cJ"#, "AB\n", true),
        (#"\uD83D\uDE00"#, "😀", true), (#"\u{1F600}"#, "😀", true), (#"^\p{Letter}+$"#, "äb", true),
        (#"^\p{Script=Greek}+$"#, "αβ", true), ("[^]", "\n", true), ("[]", "a", false), ("[[a]", "[", true),
        ("a{,2}", "a{,2}", true), ("(?<y>a)\\k<y>", "aa", true), ("(?<=a)b", "ab", true),
        ("a(?!b)", "ab", false),
        ("^a+?$", "aa", true), ("a{2}?", "aa", true), ("a b#c", "a b#c", true), (#"\/\-"#, "/-", true),
        ("^.$", "\r", false),
    ]) func `ECMAScript's expressions are searched in texts`(pattern: String, text: String, matches: Bool)
        throws
    {
        #expect(try SchemaPattern(pattern).matches(text) == matches)
    }

    @Test(arguments: [
        #"\Q"#, #"\A"#, #"\z"#, #"\K"#, #"\h"#, #"\R"#, "(?i)a", "(?#a)", "(*UTF)", "a++", "a*+", "*", "(",
        "[", #"\"#,
        #"\u12"#, #"\x1"#, #"\c1"#, #"\p{None}"#, #"\p"#, "(?>a)", "(?P<n>a)", "(?<1>a)", "{2}", "a{2}{3}",
        String(repeating: "a", count: 8193),
    ]) func `what ECMAScript doesn't have is refused`(pattern: String) {
        #expect(throws: JSONToolsError.self) { try SchemaPattern(pattern) }
    }

    @Test func `a search is bounded`() throws {
        let text = String(repeating: "a", count: 4000) + "!"
        let ended = Result { try SchemaPattern("^(a+)+$").matches(text) }
        #expect(throws: (any Error).self) { try ended.get() }
        let pattern = try #require(IRegexp("(a+)+"))
        #expect(throws: JSONToolsError.self) { try pattern.matches(text, isAnchored: true) }
    }
}
