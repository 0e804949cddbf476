import Testing

@testable import RestEngine

struct SetCookieTests {
    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
        ("a=\"b c\"", "a", "\"b c\""),
        ("a=b; x", "a", "b"), ("é=ü", "é", "ü"), ("a=b;", "a", "b"), ("a\t=\tb", "a", "b"),
    ])
    func `58.2 name and value`(text: String, name: String, value: String) throws {
        let cookie = try #require(SetCookie(text))
        #expect(cookie.name == name && cookie.value == value)
        #expect(cookie.domain == nil && cookie.path == nil && !cookie.isSecure && cookie.maxAge == nil)
    }

    @Test(arguments: [
        "", "a", "=b", " =b", ";a=b", "a=b\u{0}", "a=\u{1}", "a=b\u{7F}", "a\r\n=b",
        "a=" + String(repeating: "x", count: 4096), "a=b; path=/" + String(repeating: "x", count: 20_000),
    ])
    func `58.2 what is no cookie`(text: String) { #expect(SetCookie(text) == nil) }

    @Test func `58.2 attributes in any case, the last of a kind counts, unknown ones don't`() throws {
        let text =
            "a=b; PATH=/x; domain=.Example.COM; Secure; httpOnly; Max-Age=10; SameSite=Lax; other=1; path=/y"
        let cookie = try #require(SetCookie(text))
        #expect(cookie.path == "/y" && cookie.domain == "example.com" && cookie.isSecure && cookie.isHTTPOnly)
        #expect(cookie.maxAge == 10)
        #expect(try #require(SetCookie("a=b; path=x; domain=")).path == nil)
        #expect(try #require(SetCookie("a=b; domain=.")).domain == nil)
        #expect(try #require(SetCookie("a=b; path=/\(String(repeating: "x", count: 2000))")).path == nil)
    }

    @Test(arguments: [
        ("10", 10), ("0", 0), ("-1", 0), ("-", nil), ("", nil), ("1.5", nil), ("+1", nil), ("1x", nil),
        ("99999999999999999999", SetCookie.mostSeconds), ("100000000", SetCookie.mostSeconds),
    ])
    func `58.2 Max-Age`(text: String, seconds: Double?) throws {
        #expect(try #require(SetCookie("a=b; max-age=\(text)")).maxAge == seconds)
    }

    @Test(arguments: [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
        ("Wed Oct 21 07:28:00 2015", 1_445_412_480), ("21 oct 2015 7:28:0", 1_445_412_480),
        ("07:28:00 2015 21 October", 1_445_412_480), ("1 Jan 70 00:00:00", 0),
        ("1 Jan 69 00:00:00", 3_124_224_000),
        ("31 Feb 2015 07:28:00", nil), ("21 Oct 2015", nil), ("Oct 2015 07:28:00", nil),
        ("21 Oct 1500 07:28:00", nil),
        ("21 Oct 2015 24:00:00", nil), ("21 Oct 2015 07:60:00", nil), ("", nil), ("tomorrow", nil),
        ("21 Oct 20155 07:28:00", nil), ("29 Feb 2016 00:00:00", 1_456_704_000),
    ])
    func `58.2 dates in whatever order`(text: String, seconds: Double?) {
        #expect(CookieDate.seconds(text) == seconds)
    }
}
