import Testing

@testable import RestEngine

struct RedirectTests {
    private static func step(
        _ method: String = "GET", _ url: String = "https://a.test/x", headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) -> Redirect.RequestStep {
        Redirect.RequestStep(
            RequestDraft(method: method, url: url, headers: Headers(headers), body: body))
    }

    private static func decide(
        _ step: Redirect.RequestStep, _ status: Int, _ location: String?, followed: Int = 0,
        policy: RedirectPolicy = RedirectPolicy()
    ) -> Redirect.Decision {
        Redirect.decide(step: step, status: status, location: location, policy: policy, followed: followed)
    }

    private static func target(_ decision: Redirect.Decision) -> Redirect.RequestStep? {
        if case .follow(let step) = decision { step } else { nil }
    }

    /// RFC 9110 15.4.2–15.4.9.
    @Test(
        arguments: [
            (301, "GET", "GET", false), (302, "GET", "GET", false), (303, "GET", "GET", true),
            (307, "GET", "GET", false), (308, "GET", "GET", false),
            (301, "HEAD", "HEAD", false), (303, "HEAD", "HEAD", false),
            (301, "POST", "GET", true), (302, "POST", "GET", true), (303, "POST", "GET", true),
            (307, "POST", "POST", false), (308, "POST", "POST", false),
            (301, "PUT", "PUT", false), (302, "DELETE", "DELETE", false), (303, "PUT", "GET", true),
            (303, "DELETE", "GET", true), (308, "PATCH", "PATCH", false),
        ])
    func `which method and body a redirect is followed with`(
        status: Int, method: String, next: String, dropsBody: Bool
    ) throws {
        let headers = [("Content-Type", "text/plain"), ("content-encoding", "gzip"), ("Accept", "*/*")]
        let step = Self.step(method, headers: headers, body: [1])
        let followed = try #require(Self.target(Self.decide(step, status, "/y")))
        #expect(followed.method == next)
        #expect(followed.url == "https://a.test/y")
        #expect(followed.payload == (dropsBody ? .none : .bytes([1])))
        #expect(followed.headers == Headers(dropsBody ? [("Accept", "*/*")] : headers))
    }

    @Test(
        arguments: [
            ("PUT", 307, "/y", true), ("PUT", 308, "https://b.test/y", true), ("PUT", 303, "/y", false),
            ("POST", 302, "/y", false), ("DELETE", 302, "https://b.test/y", true),
            ("GET", 303, "/y", true), ("GET", 302, "https://b.test/y", false),
        ])
    func `50.11 Preconditions go with the write, and not with a read in its place`(
        method: String, status: Int, location: String, isKept: Bool
    ) throws {
        let conditions = [
            ("If-Match", "\"a\""), ("If-None-Match", "*"),
            ("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        let step = Self.step(method, headers: conditions)
        let followed = try #require(Self.target(Self.decide(step, status, location)))
        #expect(followed.headers == Headers(isKept ? conditions : []))
    }

    @Test(
        arguments: [
            ("y", "https://a.test/d/y"), ("/y?b=1", "https://a.test/y?b=1"), ("?q", "https://a.test/d/x?q"),
            ("//b.test/z", "https://b.test/z"), ("https://b.test", "https://b.test/"),
            ("../z", "https://a.test/z"),
        ])
    func `Location is resolved against the URL that was asked`(location: String, url: String) {
        #expect(
            Self.target(Self.decide(Self.step("GET", "https://a.test/d/x?a=1"), 302, location))?.url == url)
    }

    @Test(
        arguments: [
            (200, "/y"), (300, "/y"), (304, "/y"), (305, "/y"), (306, "/y"), (399, "/y"), (404, "/y"),
            (300, nil),
        ] as [(Int, String?)])
    func `what is no redirect stands as a response`(status: Int, location: String?) {
        #expect(Self.decide(Self.step(), status, location) == .none)
    }

    @Test(arguments: [nil, "", "ftp://a.test/y", "mailto:a@a.test", "https://a b:c/", "file:///etc/passwd"])
    func `a redirect that leads nowhere says why`(location: String?) {
        guard case .broken(let why) = Self.decide(Self.step(), 302, location) else {
            Issue.record("it is followed")
            return
        }
        #expect(why.hasPrefix("the server redirects "))
        var policy = RedirectPolicy()
        policy.follow = false
        #expect(Self.decide(Self.step(), 302, location, policy: policy) == .none)
    }

    @Test(
        arguments: [
            ("https://a.test/y", true), ("https://A.TEST:443/y", true), ("https://b.test/y", false),
            ("https://a.test:8443/y", false), ("https://sub.a.test/y", false),
        ])
    func `another origin gets no header that could be a secret`(location: String, isSameOrigin: Bool) throws {
        let harmless = [
            ("Accept", "*/*"), ("accept-language", "en"), ("Content-Type", "text/plain"), ("User-Agent", "r"),
            ("Content-Encoding", "gzip"),
        ]
        let secret = [
            ("Range", "bytes=0-1"), ("traceparent", "00-1"),
            ("Authorization", "Bearer x"), ("Cookie", "a=b"), ("X-Api-Key", "k"), ("If-None-Match", "\"1\""),
            ("Proxy-Authorization", "p"), ("X-Api-Key", "k2"),
        ]
        let step = Self.step(headers: harmless + secret)
        let followed = try #require(Self.target(Self.decide(step, 307, location)))
        #expect(followed.headers == Headers(isSameOrigin ? harmless + secret : harmless))
        var policy = RedirectPolicy()
        policy.keepHeaders = ["x-api-key", "Range"]
        let kept = try #require(Self.target(Self.decide(step, 307, location, policy: policy)))
        let asked = [("Range", "bytes=0-1"), ("X-Api-Key", "k"), ("X-Api-Key", "k2")]
        #expect(kept.headers == Headers(isSameOrigin ? harmless + secret : harmless + asked))
    }

    @Test(arguments: [
        ("/y", "https://a.test/y#f"), ("/y#g", "https://a.test/y#g"), ("#", "https://a.test/x#"),
    ])
    func `a target without a fragment inherits that of what redirects`(location: String, url: String) {
        #expect(Self.target(Self.decide(Self.step("GET", "https://a.test/x#f"), 302, location))?.url == url)
    }

    @Test func `https to http is refused, http to https is followed`() {
        let refused = Self.decide(Self.step(), 302, "http://a.test/y")
        #expect(refused == .refuse("refused to follow a redirect from https to http"))
        let followed = Self.decide(Self.step("GET", "http://a.test/x"), 302, "https://a.test/y")
        #expect(Self.target(followed)?.url == "https://a.test/y")
    }

    @Test func `max redirects are followed, one more is too many`() {
        var policy = RedirectPolicy()
        policy.max = 2
        #expect(Self.target(Self.decide(Self.step(), 302, "/y", followed: 1, policy: policy)) != nil)
        #expect(Self.decide(Self.step(), 302, "/y", followed: 2, policy: policy) == .tooMany)
        policy.follow = false
        #expect(Self.decide(Self.step(), 302, "/y", followed: 2, policy: policy) == .none)
    }
}
