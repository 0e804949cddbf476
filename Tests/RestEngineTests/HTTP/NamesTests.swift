import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct NamesTests {
    let fixture = EngineFixture()

    @Test(arguments: [("post", Method.post), ("GET", .get), ("Patch", .patch), ("purge", "purge")])
    nonisolated func `D25 methods are the same however they are spelled`(text: String, method: Method) {
        #expect(Method(text) == method)
        #expect(Set([Method(text), method]).count == 1)
    }

    @Test func `14.2 a block for a method in small letters is for that method`() {
        fixture.service.configure("a", methods: ["post"]) { $0.expirationTime = .minutes(2) }
        #expect(fixture.resource("a").configuration(for: .post).expirationTime == .seconds(120))
        #expect(fixture.resource("a").configuration(for: "post").expirationTime == .seconds(120))
        #expect(fixture.resource("a").configuration(for: .get).expirationTime == .seconds(30))
    }

    @Test nonisolated func `names of headers are the same whatever their case`() {
        #expect(HeaderName("ACCEPT") == .accept && HeaderName.accept != .acceptCharset)
        #expect(Set([HeaderName("accept"), .accept]).count == 1)
        var headers: Headers = ["accept": "a", .userAgent: "b", "X-One": "1"]
        headers[.accept] = "c"
        headers["x-two"] = "2"
        headers["X-One"] = nil
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["Accept=c", "User-Agent=b", "x-two=2"])
        #expect(headers.omitted == ["x-one"] && headers.count == 3 && headers[0].value == "c")
        #expect(
            headers[.userAgent] == "b" && headers.contains(.userAgent) && headers.values(.accept) == ["c"])
    }

    @Test func `16.5 a misspelt stage is reported at once, and fails what would not have run`() throws {
        fixture.service.configureTransformer("a", stage: "modle") { (tree: Tree, _) in tree }
        let advice = "there is no stage 'modle' in the pipeline: did you mean 'model'?"
        #expect(fixture.log.contains { $0.category == .warning && $0.text.contains(advice) })
        try fixture.stub("GET", "*", .json(200, "{}"))
        fixture.service.configure("b") { $0.pipeline["parsin"].add(JSONTransformer()) }
        fixture.service.configure("c") { configuration in
            try configuration.pipeline.setOrder(configuration.pipeline.order + ["models"])
            configuration.pipeline["models"].add(TextTransformer())
        }
        let requests = ["a", "b", "c"].map { fixture.resource($0).load() }
        fixture.settle()
        let reasons = requests.map { $0.info?.response.error?.reason ?? "" }
        #expect(reasons[0].contains(advice))
        #expect(reasons[1].contains("there is no stage 'parsin' in the pipeline: did you mean 'parsing'?"))
        #expect(reasons[2] == "")
    }

    @Test nonisolated func `what never changes is read from anywhere`() async throws {
        let service = await fixture.service
        let resource = await fixture.resource("users/me")
        #expect("\(resource)" == "https://api.test/v1/users/me" && resource.service === service)
        #expect("\(service)" == "api (https://api.test/v1/)" && service.baseURL?.url.host == "api.test")
        await fixture.engineIsKept()
    }

    @Test func `1.2 a base URL that is none is an error where it is given`() {
        #expect(throws: BaseURLError.self) {
            try Service(engine: fixture.engine, name: "x", baseURL: "nonsense")
        }
        #expect(throws: PatternError.self) { try ResourcePattern.glob("a#b") }
    }

    @Test func `6.8 query, headers and timeout at the call`() throws {
        try fixture.stub("POST", "**", .response())
        fixture.resource("a").withParam("page", "1").request(
            .post, query: ["tag": "x", "tag": "y", "page": nil], headers: [.accept: "b"], timeout: .seconds(5)
        )
        let late = fixture.resource("a").request(.post, json: ["n": 1], timeout: .zero)
        fixture.settle()
        let sent = fixture.transport.requests
        #expect(sent.map(\.url) == ["https://api.test/v1/a?tag=x&tag=y"])
        #expect(sent[0].headers[.accept] == "b")
        #expect(sent.map(\.timeouts.total) == [.seconds(5)] && late.info?.response.error?.code == "timeout")
    }

    @Test func `20.2 errors and entities are of now, unless they say otherwise`() throws {
        let before = InternetTime.now
        #expect(Entity(content: .text("a")).timestamp >= before)
        #expect(RequestError(userMessage: "a").timestamp >= before)
        try fixture.stub("GET", "a", isHeld: true, .response())
        let request = fixture.resource("a").load()
        request.cancel()
        fixture.settle()
        #expect(request.info?.response.error?.isCancellation == true)
        #expect(!RequestError(userMessage: "a").isCancellation)
    }

    @Test nonisolated func `times have units, and the longest has an end`() {
        #expect(Duration.minutes(2) == .seconds(120) && .hours(1) == .seconds(3600) && .days(2) == .hours(48))
        var configuration = Configuration()
        configuration.expirationSeconds = .infinity
        #expect(configuration.expirationTime > .days(365_000))
        configuration.retryTime = .milliseconds(1500)
        #expect(configuration.retrySeconds == 1.5)
    }
}

extension EngineFixture {
    /// For tests outside of the engine's actor, whose fixture would be released too early.
    fileprivate func engineIsKept() {}
}
