import RestEngine
import TestSupport
import Testing

struct PercentEncodingTests {
    @Test func `D29 path text keeps pchar and the slash`() {
        let kept = "azAZ09-._~!$&'()*+,;=:@/"
        #expect(PercentEncoding.path(kept) == kept)
        #expect(
            PercentEncoding.path("?#[]% \"<>\\^`{|}\u{7F}")
                == "%3F%23%5B%5D%25%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F")
        #expect(PercentEncoding.path("\u{1F4A3}") == "%F0%9F%92%A3")
        #expect(PercentEncoding.path("") == "")
    }

    @Test func `D29 a parameter keeps neither ampersand nor equals sign nor plus`() {
        #expect(PercentEncoding.parameter("a&b=c+d/e?f") == "a%26b%3Dc%2Bd/e?f")
    }

    @Test(arguments: [
        ("%41", "A"), ("%zz", "%zz"), ("%4", "%4"), ("%", "%"), ("%%41", "%A"), ("a+b", "a+b"),
        ("%c3%A9", "é"),
        ("%2541", "%41"), ("", ""),
    ])
    func `3.7 decoding`(text: String, expected: String) {
        #expect(PercentEncoding.decode(text) == expected)
    }

    @Test func `3.7 bytes that are not UTF-8 decode to no text`() {
        #expect(PercentEncoding.decode("%ff") == nil)
        #expect(PercentEncoding.decodeBytes("%ff%00".utf8) == [0xFF, 0])
    }

    @Test func `one spelling of a segment stands for the same bytes, and has itself as its spelling`() {
        var random = SeededRandom(seed: 7)
        let pieces = [
            "%", "2", "b", "B", "%2B", "%2b", "+", "%41", "~", "%7e", " ", "é", "|", "%2F", "%FF", ";",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let spelled = PercentEncoding.normalized(segment: Array(text.utf8))
            #expect(
                PercentEncoding.decodeBytes(spelled.utf8) == PercentEncoding.decodeBytes(text.utf8), "\(text)"
            )
            #expect(PercentEncoding.normalized(segment: Array(spelled.utf8)) == spelled, "\(text)")
            // A reserved character stays as the client wrote it (RFC 3986 2.2).
            #expect(spelled.contains("+") == text.contains("+"), "\(text)")
        }
    }

    @Test func `6.6 form pairs are encoded, then sorted as text`() {
        #expect(FormEncoding.encode([]) == "")
        #expect(FormEncoding.encode([("b", "2"), ("a", "1")]) == "a=1&b=2")
        #expect(FormEncoding.encode([("a", "2"), ("a", "10"), ("B", "")]) == "B=&a=10&a=2")
        #expect(FormEncoding.encode([("k y", "a+b&c=d/e?f~g*h")]) == "k%20y=a%2Bb%26c%3Dd/e?f~g%2Ah")
        // `a%21` sorts before `a=`, although `a` sorts before `a!`.
        #expect(FormEncoding.encode([("a", "1"), ("a!", "2"), ("é", "3")]) == "%C3%A9=3&a%21=2&a=1")
    }

    @Test(arguments: [
        "..", "../x", "a/..", "a/../b", "/..", ".", "a/./b", "%2e", ".;v=1", "%2e%2e", "%2E./x", ".%2e",
        "a%2f..%2fb", "%252e%252e",
        "%25252e.",
        "%25%32%65%25%32%65", "//host", "//host/x", "/%2fhost", "%2F%2Fhost", "http://host", "/http://host",
        "https:/x", "http%3a//host", "\\\\host", "a\\b", "..\\x", "%5c", "a/..;x/b", "a\0", "%00", "a%0d%0ab",
        "%C0%AE", "%c1%9c", "%E0%80%AF", "%F0%80%80%AF", "%F8%80%80%80%AF", "%FC%80%80%80%80%AF",
        "%25c0%25ae", "%ED%A0%80", "a%ed%bf%bfb", "%F4%90%80%80", "%F5%80%80%80", "%F8%88%80%80%80",
        "%25ed%25a0%2580",
    ])
    func `1.4 a path that could be read as leaving the base`(text: String) {
        #expect(PathText.escapesBase(text))
    }

    @Test(arguments: [
        "", "/", "a", "/a/b", "a..b", "..a", "a..", "...", "users:search", "urn:isbn:1", "a//b",
        "%zz",
        "%E0%A4%85", "%F0%9F%98%80", "%FF", "caf%E9", "%C0", "%C0x",
        "%ED%9F%BF", "%EE%80%80", "%F4%8F%BF%BF", "%ED", "%F5x",
        "a%20b", "caf%C3%A9", "é", "1.0/..x", "a@b", "x;v=1", "100%", "%%",
    ])
    func `1.4 a path that stays below the base`(text: String) {
        #expect(!PathText.escapesBase(text))
    }
}
