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

    @Test(arguments: [
        ("multipart/form-data", "multipart/form-data; boundary=b", "multipart/form-data"),
        ("a/b;boundary=x", "a/b; boundary=b", "a/b"),
        (
            "a/b ; BOUNDARY = \"x;y\" ; c=\";boundary=z\"", "a/b; c=\";boundary=z\"; boundary=b",
            "a/b; c=\";boundary=z\""
        ),
        ("a/b; boundaryx=1; boundary", "a/b; boundaryx=1; boundary=b", "a/b; boundaryx=1"),
        ("", "; boundary=b", ""),
    ])
    func `RFC 2046 5.1.1 a boundary takes the place of any other`(
        text: String, with: String, without: String
    ) {
        #expect(MediaType.settingBoundary("b", in: text) == with)
        #expect(MediaType.settingBoundary(nil, in: text) == without)
    }

    @Test func `seeded: setting a boundary again changes nothing`() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<5000 {
            let text = random.text(of: "a/;=\"\\ boundary", upTo: 30)
            let once = MediaType.settingBoundary(nil, in: text)
            #expect(MediaType.settingBoundary(nil, in: once) == once, "\(text)")
        }
    }
}
