import RestEngine
import TestSupport
import Testing

struct MediaTypeTests {
    @Test(
        arguments: [
            ("text/plain", "text/plain", nil), ("TEXT/Plain;Charset=UTF-8", "text/plain", "utf-8"),
            (" text/plain ; charset = utf-8 ", "text/plain", "utf-8"),
            ("text/plain; charset=\"utf-8\"", "text/plain", "utf-8"),
            ("text/plain; a=b; charset=x; charset=y", "text/plain", "x"),
            ("text/plain; charset=", "text/plain", nil),
            ("text/plain; charset=\"\"", "text/plain", nil), ("text/plain; xcharset=x", "text/plain", nil),
            ("text/plain; charset", "text/plain", nil), ("text/plain;;charset=x;", "text/plain", "x"),
            ("", "", nil), (";charset=x", "", "x"), ("text/plain\t;\tcharset=x", "text/plain", "x"),
            ("text/plain; a=\"b;charset=no\"; charset=yes", "text/plain", "yes"),
            ("text/plain; a=\"b\\\";charset=no\"; charset=yes", "text/plain", "yes"),
            ("text/plain; a=\"b;charset=no", "text/plain", nil),
            ("text/plain; charset='x'", "text/plain", "'x'"),
        ] as [(String, String, String?)])
    func `19.3 type and charset`(text: String, essence: String, charset: String?) {
        let type = MediaType(text)
        #expect(type.essence == essence)
        #expect(type.charset == charset)
    }

    @Test(.timeLimit(.minutes(1)))
    func `seeded: no text upsets the reader`() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let text = random.text(of: "ab/; =\"\\\tCharset=é\u{0}+*,", upTo: 40)
            let type = MediaType(text)
            #expect(!type.essence.contains(";") || text.contains("\""))
            #expect(type.charset?.isEmpty != true)
        }
        #expect(MediaType(String(repeating: "; charset", count: 100_000)).charset == nil)
        #expect(MediaType("a/b" + String(repeating: " ", count: 1_000_000)).essence == "a/b")
    }
}
