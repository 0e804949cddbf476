import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RedirectFlowTests {
    let fixture = EngineFixture()

    private func redirect(_ path: String, to location: String, _ status: Int = 302, delay: Duration = .zero)
        throws
    {
        try fixture.stub(
            "GET", path, .response(status, headers: Headers([("Location", location)]), delay: delay))
    }

    @Test func `a redirect is followed to its end and becomes the resource's data`() throws {
        try redirect("a", to: "b")
        try redirect("b", to: "https://other.test/c")
        try fixture.transport.stub(method: "GET", urlGlob: "https://other.test/c", .text(200, "c"))
        try fixture.configure { $0.configuration.headers.set("Authorization", "secret") }
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.content.text == "c")
        #expect(resource.latestData?.status == 200)
        #expect(resource.latestData?.url == "https://other.test/c", "D37")
        #expect(
            fixture.transport.requests.map(\.url)
                == ["https://api.test/v1/a", "https://api.test/v1/b", "https://other.test/c"])
        #expect(fixture.transport.requests.map { $0.headers["Authorization"] } == ["secret", "secret", nil])
    }

    @Test func `too many redirects fail with the limit`() throws {
        try redirect("a", to: "a")
        try fixture.configure { $0.configuration.redirects.max = 3 }
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(fixture.transport.requests.count == 4)
        let error = try #require(resource.latestError)
        #expect(error.code == "too_many_redirects")
        #expect(error.userMessage == "Too many redirects")
        guard case .tooManyRedirects(limit: 3) = error.cause else {
            Issue.record("cause \(String(describing: error.cause))")
            return
        }
    }

    @Test func `https to http fails and nothing is sent there`() throws {
        try redirect("a", to: "http://api.test/v1/a")
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(fixture.transport.requests.count == 1)
        #expect(resource.latestError?.code == "tls_failed")
    }

    @Test(
        arguments: [
            (nil, "without a Location"), ("", "without a Location"),
            ("ftp://api.test/a", "does not begin with http:// or https://"), ("mailto:me", "mailto:me"),
            ("http://", "has no host"), ("http://a b:c/", "can't be followed"),
            ("https://münchen.test/", "write the name in its ASCII form, which has xn--"),
        ] as [(String?, String)])
    func `a redirect that leads nowhere is a failure that says so`(location: String?, reason: String) throws {
        let headers = Headers(location.map { [("Location", $0)] } ?? [])
        try fixture.stub("GET", "a", .response(302, headers: headers))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        let error = try #require(resource.latestError)
        #expect(error.code == "invalid_url" && error.httpStatusCode == 302)
        #expect("\(error)".contains(reason), "\(error)")
        try fixture.configure { $0.configuration.redirects.follow = false }
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.status == 302)
    }

    @Test func `a request to a host beyond ASCII asks for its ASCII form, and isn't sent`() throws {
        let resource = fixture.service.resource(absoluteURL: "https://münchen.test/a")
        resource.load()
        fixture.settle()
        let error = try #require(resource.latestError)
        #expect(error.code == "invalid_url")
        #expect("\(error)".contains("write the name in its ASCII form, which has xn--"), "\(error)")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `5.18 what is not followed is a success with its status' body`() throws {
        try fixture.configure { $0.configuration.redirects.follow = false }
        try redirect("a", to: "b")
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.latestData?.headers["location"] == "b")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `what is asked before each redirect may stop there, or fail`() throws {
        struct Wrong: Error {}
        var asked: [String] = []
        try fixture.configure { draft in
            draft.configuration.redirects.on = ConfiguredFunction(
                { from, to, status in
                    asked.append("\(from) \(to) \(status)")
                    if to.hasSuffix("/d") { throw Wrong() }
                    return !to.hasSuffix("/c")
                }, origin: "test:1")
        }
        try redirect("a", to: "b")
        try redirect("b", to: "c", 307)
        try redirect("e", to: "d")
        let (stopped, failed) = (fixture.resource("a"), fixture.resource("e"))
        stopped.load()
        fixture.settle()
        failed.load()
        fixture.settle()
        #expect(stopped.latestData?.status == 307 && stopped.latestData?.url == "https://api.test/v1/b")
        #expect(failed.latestError?.underlying is Wrong && failed.latestError?.url == "https://api.test/v1/e")
        #expect(
            asked == [
                "https://api.test/v1/a https://api.test/v1/b 302",
                "https://api.test/v1/b https://api.test/v1/c 307",
                "https://api.test/v1/e https://api.test/v1/d 302",
            ])
        #expect(fixture.transport.requests.count == 3)
    }

    @Test func `the total time covers all legs`() throws {
        try fixture.configure { $0.configuration.timeouts.total = .seconds(10) }
        try redirect("a", to: "b", delay: .seconds(4))
        try redirect("b", to: "c", delay: .seconds(7))
        try fixture.stub("GET", "c", .response())
        fixture.resource("a").load()
        for _ in 0..<3 { fixture.advance(4) }
        #expect(fixture.transport.requests.map(\.timeouts.totalSeconds) == [10, 6])
    }

    @Test func `cancel between legs ends the chain of redirects`() throws {
        try redirect("a", to: "b")
        let held = try fixture.stub("GET", "b", isHeld: true, .response())
        let request = fixture.resource("a").load()
        fixture.settle()
        request.cancel()
        held.go()
        fixture.settle()
        #expect(request.isCancelled)
        #expect(fixture.transport.requests.count == 2)
        #expect(fixture.transport.transfersInFlight == 0)
    }
}
