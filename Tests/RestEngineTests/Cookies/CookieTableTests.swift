import Testing

@testable import RestEngine

struct CookieTableTests {
    private var table = CookieTable { ["com", "uk", "co.uk", "github.io", "localhost"].contains($0) }

    private func place(_ url: String) throws -> CookiePlace {
        let parsed = try #require(URLText(url))
        return try #require(CookiePlace(parsed))
    }

    @discardableResult
    private mutating func set(_ text: String, from url: String, at now: Double = 0) throws
        -> CookieTable.Refusal?
    {
        do throws(CookieTable.Refusal) {
            guard let sent = SetCookie(text) else { return nil }
            _ = try table.take(sent, from: CookiePlace(URLText(url)!)!, at: now)
            return nil
        } catch { return error }
    }

    private mutating func sent(to url: String, at now: Double = 0) throws -> String? {
        table.header(for: try place(url), at: now)
    }

    @Test mutating func `58.3 without a domain it goes to the very host alone`() throws {
        try set("a=1", from: "https://example.com/x/y?q=/z")
        #expect(try sent(to: "https://example.com/x") == "a=1")
        #expect(try sent(to: "https://example.com/x/z/") == "a=1")
        for url in [
            "https://example.com/", "https://example.com/xy", "https://www.example.com/x",
            "https://other.com/x",
        ] {
            #expect(try sent(to: url) == nil)
        }
        // Neither the port nor the case of the host matters.
        #expect(try sent(to: "http://EXAMPLE.com:8080/x/") == "a=1")
    }

    @Test mutating func `58.3 with a domain it goes to those below it, too`() throws {
        #expect(try set("a=1; Domain=.example.com; Path=/", from: "https://www.example.com/") == nil)
        for host in ["example.com", "www.example.com", "a.b.example.com"] {
            #expect(try sent(to: "https://\(host)/") == "a=1")
        }
        #expect(try sent(to: "https://notexample.com/") == nil)
    }

    @Test(arguments: [
        ("https://www.example.com/", "other.com", CookieTable.Refusal.foreignDomain),
        ("https://example.com/", "www.example.com", .foreignDomain),
        ("https://example.com/", "xample.com", .foreignDomain),
        ("https://example.com/", "com", .publicSuffix),
        ("https://a.co.uk/", "co.uk", .publicSuffix), ("https://me.github.io/", "github.io", .publicSuffix),
        ("https://10.0.0.1/", "0.0.1", .foreignDomain), ("https://10.0.0.1/", "1", .foreignDomain),
    ])
    mutating func `58.3 no host sets cookies for other hosts`(
        url: String, domain: String, refusal: CookieTable.Refusal
    ) throws {
        #expect(try set("a=1; domain=\(domain)", from: url) == refusal)
        #expect(table.count == 0)
    }

    @Test mutating func `58.3 a public suffix, or an address, sets cookies for itself`() throws {
        for host in ["github.io", "10.0.0.1", "localhost", "[::1]"] {
            #expect(try set("a=\(host); domain=\(host); path=/", from: "http://\(host)/") == nil)
            #expect(try sent(to: "http://\(host)/") == "a=\(host)")
        }
        for host in ["x.github.io", "x.localhost"] { #expect(try sent(to: "http://\(host)/") == nil) }
    }

    @Test mutating func `58.4 the longest path goes first, then what was set first`() throws {
        try set("c=3; path=/", from: "https://a.com/", at: 1)
        try set("b=2; path=/x/y", from: "https://a.com/", at: 2)
        try set("a=1; path=/x", from: "https://a.com/", at: 3)
        try set("d=4; path=/", from: "https://a.com/", at: 0)
        #expect(try sent(to: "https://a.com/x/y", at: 4) == "b=2; a=1; d=4; c=3")
        // A replaced cookie keeps its place in the order.
        try set("d=5; path=/", from: "https://a.com/", at: 9)
        #expect(try sent(to: "https://a.com/", at: 9) == "d=5; c=3")
        // The same name with another domain is a different cookie.
        try set("d=6; path=/; domain=a.com", from: "https://a.com/", at: 10)
        #expect(try sent(to: "https://a.com/", at: 10) == "d=5; c=3; d=6")
    }

    @Test mutating func `58.4 secure ones go over https, and http doesn't touch them`() throws {
        #expect(try set("a=1; Secure; path=/", from: "http://a.com/") == .insecure)
        try set("a=1; Secure; path=/x", from: "https://a.com/")
        #expect(try sent(to: "http://a.com/x") == nil)
        #expect(try sent(to: "https://a.com/x") == "a=1")
        #expect(try set("a=2; path=/x", from: "http://a.com/") == .covered)
        #expect(try set("a=2; path=/x/y; domain=a.com", from: "http://a.com/") == .covered)
        #expect(try set("a=2; path=/", from: "http://a.com/") == nil, "a shorter path is another")
        #expect(try set("b=2", from: "http://a.com/") == nil)
    }

    @Test(arguments: [
        ("__Secure-a=1; Secure", "https", true), ("__Secure-a=1", "https", false),
        ("__Host-a=1; Secure; Path=/", "https", true), ("__Host-a=1; Secure", "https", false),
        ("__Host-a=1; Secure; Path=/; Domain=a.com", "https", false), ("__Host-a=1; Path=/", "https", false),
        ("__HOST-a=1; Path=/", "https", false), ("__Host-a=1; Secure; Path=/", "http", false),
    ])
    mutating func `58.5 prefixes promise something`(text: String, scheme: String, isTaken: Bool) throws {
        try set(text, from: "\(scheme)://a.com/")
        #expect(table.count == (isTaken ? 1 : 0))
    }

    @Test mutating func `58.6 expired cookies go, and Max-Age precedes Expires`() throws {
        try set("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://a.com/", at: 100)
        try set("b=1; Expires=Thu, 01 Jan 1970 00:03:20 GMT", from: "https://a.com/", at: 100)
        try set("c=1", from: "https://a.com/", at: 100)
        #expect(try sent(to: "https://a.com/", at: 109) == "a=1; b=1; c=1")
        #expect(try sent(to: "https://a.com/", at: 110) == "b=1; c=1")
        #expect(try sent(to: "https://a.com/", at: 200) == "c=1")
        try set("c=1; Max-Age=0", from: "https://a.com/", at: 200)
        #expect(try sent(to: "https://a.com/", at: 200) == nil)
        #expect(table.all(at: 200).isEmpty)
        try set("d=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", from: "https://a.com/", at: 0)
        #expect(table.all(at: 0).first { $0.name == "d" }?.expiresAt == SetCookie.mostSeconds)
    }

    @Test mutating func `58.7 so many for a domain, so many in all, the ones that are used least go`() throws
    {
        for number in 0...50 {
            try set("n\(number)=1", from: "https://a.com/", at: Double(number))
            _ = try sent(to: "https://a.com/only/n0", at: 0)
        }
        #expect(table.count == 50)
        #expect(table.all(at: 60).contains { $0.name == "n0" } == false)
        for number in 0..<4000 {
            try set("a=\(number); path=/", from: "https://h\(number).com/", at: 100 + Double(number))
        }
        #expect(table.count == CookieTable.mostInAll)
        #expect(try sent(to: "https://h3999.com/", at: 5000) == "a=3999")
        #expect(try sent(to: "https://h5.com/", at: 5000) == nil)
    }

    @Test mutating func `58.7 a header has a limit`() throws {
        for number in 0..<10 {
            let value = String(repeating: "x", count: 4000)
            try set("n\(number)=\(value)", from: "https://a.com/", at: Double(number))
        }
        let header = try #require(try sent(to: "https://a.com/", at: 20))
        #expect(header.utf8.count <= CookieTable.mostHeaderBytes && header.utf8.count > 12_000)
    }
}
