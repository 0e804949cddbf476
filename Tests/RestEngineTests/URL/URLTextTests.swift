import RestEngine
import Testing

struct URLTextTests {
    @Test(arguments: [
        ("HTTP://API.Example.COM/Path", "http://api.example.com/Path"),
        ("https://h:443/x", "https://h/x"),
        ("http://h:80", "http://h/"),
        ("http://h:080/", "http://h/"),
        ("http://h:443/", "http://h:443/"),
        ("https://h:80/", "https://h:80/"),
        ("https://h:/x", "https://h/x"),
        ("https://h:8443", "https://h:8443/"),
        ("https://h?q=1", "https://h/?q=1"),
        ("https://h#f", "https://h/#f"),
        ("https://User:PASS@Host/", "https://User:PASS@host/"),
        ("https://[2001:DB8::1]:8080/x", "https://[2001:db8::1]:8080/x"),
        ("https://h/é?ü#ß", "https://h/%C3%A9?%C3%BC#%C3%9F"),
        ("https://münchen.example/", "https://m%c3%bcnchen.example/"),
    ])
    func `D21 case of scheme and host, default port and empty path are normalised`(
        text: String, expected: String
    ) {
        #expect(URLText(text)?.string == expected)
    }

    @Test(arguments: [
        "https://h/a/./b/../c", "https://h//a//b", "https://h/%7eu", "https://h/%7Eu", "https://h/%zz%",
        "https://h/A?B=C&A=", "https://h/?", "https://h/#", "https://h/?#", "https://h/a?b?c#d#e",
        "https://h/{id}|",
        "./foo", "../foo?q", "foo", "/foo", "//h/x", "?q", "#f", "mailto:A@B.c", "urn:isbn:1",
        "file:///etc/x",
        "data:,x", "https://h/+%2B", "1:2",
    ])
    func `1.9, 2.3 all else is kept as it is, relative text too`(text: String) {
        #expect(URLText(text)?.string == text)
    }

    @Test(arguments: [
        "", "\0", "https://h/\0", "https://h/a b", " https://h/", "https://h/\n", "https://h/\u{7F}", "\t",
        "http://[URL syntax error]", "http://[]/", "http://[::1/", "http://[::1]x/", "http://h:x/",
        "http://h:99999/",
        "http://h:-1/", "http://a b/", "http://h\\@evil/", "http://h<x>/", "http://a@b@c/", "http://a:1:2/",
        "http://h:+80/",
    ])
    func `2.5 text that is no URL`(text: String) {
        #expect(URLText(text) == nil)
    }

    /// libcurl, which connects, would use another host than the one that was checked.
    @Test(arguments: [
        "http://ex%61mple.com/", "http://%2e/", "http://h%/", "http://h%2/", "http://h%zz/", "http://h%00/",
        "http://127.1/",
        "http://2130706433/", "http://0x7f.0.0.1/", "http://0X7f000001/", "http://017.0.0.1/",
        "http://127.0.0.01/",
        "http://127.0.0.1./", "http://1.2.3.4.5/", "http://256.0.0.1/", "http://a.0x/", "http://a.1/",
        "http://1.2.3.a.4./",
    ])
    func `D21 a host that readers complete or decode differently is no host`(text: String) {
        #expect(URLText(text) == nil)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://0.0.0.0/", "http://255.255.255.255/", "http://1.a/", "http://1e1/",
        "http://0xg/", "http://a./",
        "http://1.2.3.4.a/", "http://m%c3%bcnchen.example/", "http://x1/", "http://1-1/",
    ])
    func `D21 other names and whole addresses are hosts`(text: String) {
        #expect(URLText(text)?.string == text)
    }

    @Test func `2.1 parts`() throws {
        let url = try #require(URLText("HTTPS://u:p@Host.example:8443/a/b%20c?x=1&y#frag"))
        #expect(url.scheme == "https")
        #expect(url.host == "host.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b%20c")
        #expect(url.query == "x=1&y")
        #expect(url.fragment == "frag")
        #expect(url.origin == "https://host.example:8443")
        #expect(url.isAbsolute && url.isHTTP)
        #expect("\(url)" == url.string)
    }

    @Test func `2.1 an empty query or fragment is not an absent one`() throws {
        let bare = try #require(URLText("https://h/"))
        #expect(bare.query == nil && bare.fragment == nil && bare.port == nil)
        let empty = try #require(URLText("https://h/?#"))
        #expect(empty.query == "" && empty.fragment == "")
        #expect(bare != empty)
    }

    @Test(arguments: [
        ("./foo", false, false), ("//h/x", false, false), ("mailto:a@b", true, false),
        ("ftp://h/", true, false),
        ("http:foo", true, false), ("http:///x", true, false), ("http://h", true, true),
        ("HTTPS://h", true, true),
    ])
    func `1.9 what is absolute and what can be requested`(text: String, isAbsolute: Bool, isHTTP: Bool) throws
    {
        let url = try #require(URLText(text))
        #expect(url.isAbsolute == isAbsolute)
        #expect(url.isHTTP == isHTTP)
        #expect((url.origin != nil) == (isHTTP || text == "ftp://h/"))
    }

    @Test func `2.2, D21 one identity for one URL`() {
        #expect(Set(["http://H:80", "HTTP://h/", "http://h"].map(URLText.init)).count == 1)
        #expect(URLText("http://h/a?x=1&y=2") != URLText("http://h/a?y=2&x=1"))
        #expect(URLText("http://h/a") != URLText("http://h/a#f"))
        #expect(URLText("http://h/%7e") != URLText("http://h/~"))
    }

    @Test func `2.1 the address of an IPv6 host is in brackets`() {
        let url = URLText("http://[FE80::1%25eth0]:81/")
        #expect(url?.host == "[fe80::1%25eth0]")
        #expect(url?.origin == "http://[fe80::1%25eth0]:81")
    }
}
