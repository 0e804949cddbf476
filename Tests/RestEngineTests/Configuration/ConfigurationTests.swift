import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ConfigurationTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func configure(_ name: String, _ glob: String? = nil, methods: Set<Method>? = nil) throws {
        let journal = journal
        try fixture.configure(glob, methods: methods) { draft in
            journal.note("\(name) \(draft.method)")
            draft.configuration.headers.add("X", name)
        }
    }

    private func names(_ resource: Resource, _ method: String = "GET") -> [String] {
        resource.configuration(for: method).headers.values("X")
    }

    @Test func `14.3 blocks run in the order of adding, each on the result of the last`() throws {
        for name in ["a", "b", "c"] { try configure(name) }
        try fixture.configure { $0.configuration.expirationSeconds *= 2 }
        try fixture.configure { $0.configuration.expirationSeconds += 1 }
        let configuration = fixture.resource("x").configuration(for: "GET")
        #expect(configuration.headers.values("X") == ["a", "b", "c"])
        #expect(configuration.expirationTime == .seconds(61))
    }

    @Test func `14.2 a block is for its methods`() throws {
        try configure("get", methods: ["GET"])
        try configure("write", methods: ["POST", "PUT"])
        try configure("all")
        let resource = fixture.resource("x")
        #expect(names(resource) == ["get", "all"])
        #expect(names(resource, "PUT") == ["write", "all"])
        #expect(names(resource, "PURGE") == ["all"])
    }

    @Test func `14.4 14.6 the result is kept for each resource and method`() throws {
        try configure("a")
        let (one, two) = (fixture.resource("1"), fixture.resource("2"))
        for _ in 0..<3 { _ = (names(one), names(one, "POST"), names(two)) }
        #expect(journal.lines == ["a GET", "a POST", "a GET"])
    }

    @Test func `14.5 an invalidation and a new block make it run again, when needed`() throws {
        try configure("a")
        let resource = fixture.resource("1")
        _ = names(resource)
        fixture.service.invalidateConfiguration()
        #expect(journal.take() == ["a GET"])
        _ = names(resource)
        #expect(journal.take() == ["a GET"])
        try configure("b")
        #expect(journal.lines.isEmpty)
        #expect(names(resource) == ["a", "b"])
        #expect(journal.take() == ["a GET", "b GET"])
    }

    @Test func `14.5 blocks that change the configuration run once more for that, and not at each look`()
        throws
    {
        try configure("a")
        fixture.service.configure("**") { [journal, unowned service = fixture.service] _ in
            journal.note("changing")
            service.configure("**") { _ in journal.note("added") }
        }
        let resource = fixture.resource("1")
        _ = names(resource)
        _ = names(resource)
        #expect(journal.take() == ["a GET", "changing", "a GET", "changing", "added"])
        for _ in 0..<10 { _ = names(resource) }
        #expect(journal.take() == [])
    }

    @Test func `14.5 a block that changes the configuration and fails runs once`() throws {
        fixture.service.configure("**") { [journal, unowned service = fixture.service] _ in
            journal.note("failing")
            service.invalidateConfiguration()
            throw RequestError.CauseError(.internal(message: "no"))
        }
        let resource = fixture.resource("1")
        for _ in 0..<10 { _ = names(resource) }
        #expect(journal.take() == ["failing"])
    }

    @Test func `14.9 14.10 14.15 globs are of the base, blocks without pattern of every host`() throws {
        try configure("all")
        try configure("base", "**")
        try configure("users", "/users/*")
        try configure("other", "https://other.test/**")
        let service = fixture.service
        #expect(names(service.resource("users/1")) == ["all", "base", "users"])
        #expect(names(service.resource("users/1/x")) == ["all", "base"])
        #expect(names(service.resource("users/1").withParam("q", ["/"])) == ["all", "base", "users"])
        #expect(names(service.resource("")) == ["all", "base"])
        #expect(names(service.resource(absoluteURL: "https://other.test/x")) == ["all", "other"])
        #expect(names(service.resource(absoluteURL: "https://api.test/v2")) == ["all"])
    }

    @Test func `14.11 14.12 14.13 regular expressions, resources and predicates`() throws {
        let service = fixture.service
        let exact = service.resource("exact")
        let patterns: [(String, URLPattern)] = [
            ("regex", try .regex("Q=[0-9]+", options: "i")), ("resource", .resource(try #require(exact.url))),
            ("predicate", service.predicatePattern { $0.path.hasSuffix("ct") }),
        ]
        for (name, pattern) in patterns {
            service.configure(
                ConfigurationEntry(pattern: pattern, description: name) {
                    $0.configuration.headers.add("X", name)
                })
        }
        #expect(names(exact) == ["resource", "predicate"])
        #expect(names(exact.withParam("q", ["1"])) == ["regex", "predicate"])
        #expect(names(service.resource("other")) == [])
    }

    @Test func `14.7 a method's times do not matter, those of GET do`() throws {
        try fixture.configure(methods: ["GET"]) { $0.configuration.retryTime = .seconds(100) }
        try fixture.stub("POST", "a", .response(500))
        let resource = fixture.resource("a")
        resource.load(using: resource.request("POST"))
        fixture.settle()
        fixture.advance(99)
        #expect(resource.isUpToDate)
    }

    @Test func `14.20 headers and mutators are of the method asked for, the rest of the one sent`() throws {
        try fixture.stub("PUT", "a", .text(200, "x"))
        for method in ["POST", "PUT"] {
            let journal = journal
            try fixture.configure(methods: [Method(method)]) { draft in
                draft.configuration.headers.set("X-Configured", method)
                draft.configuration.timeouts.total = .seconds(method == "POST" ? 1 : 2)
                draft.configuration.mutators.append { draft in
                    journal.note("mutator of \(method)")
                    draft.method = "put"
                }
                draft.configuration.decorators.append { _, request in
                    journal.note("decorator of \(method)")
                    return request
                }
                draft.configuration.pipeline["model"].add(Marking(name: method, journal: journal))
            }
        }
        fixture.resource("a").request("POST")
        fixture.settle()
        #expect(journal.lines == ["mutator of POST", "decorator of PUT", "pipeline of PUT"])
        let sent = try #require(fixture.transport.requests.first)
        #expect(sent.method == "PUT")
        #expect(sent.headers["X-Configured"] == "POST")
        #expect(sent.timeouts.total == .seconds(2))
    }

    @Test func `16.12 the pipeline is that of the time at which the response arrives`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        fixture.resource("a").load()
        try fixture.configure { [journal] draft in
            draft.configuration.pipeline["model"].add(Marking(name: "late", journal: journal))
        }
        fixture.settle()
        #expect(journal.lines == ["pipeline of late"])
    }

    @Test func `a failing block fails requests before they are sent`() throws {
        try fixture.configure("a") { _ in
            throw RequestError.CauseError(
                .scriptError(RequestError.ScriptFailure(message: "boom", file: "api.lua", line: 3)))
        }
        let resource = fixture.resource("a")
        fixture.noteEvents(in: journal)
        resource.load()
        #expect(journal.take() == ["a: requested"])
        fixture.settle()
        #expect(journal.take() == ["a: error"])
        let error = try #require(resource.latestError)
        #expect(error.code == "script_error")
        #expect(error.url == "https://api.test/v1/a" && error.method == "GET")
        #expect(error.description == "GET https://api.test/v1/a: Script error: api.lua:3: boom")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `14.20 a block that fails for the method sent fails the request before it is sent`() throws {
        try fixture.transport.stub(method: nil, urlGlob: "**", .response())
        try fixture.configure(methods: ["PUT"]) { _ in
            throw RequestError.CauseError(.scriptError(RequestError.ScriptFailure(message: "boom")))
        }
        var options = RequestOptions()
        options.mutate = { $0.method = "PUT" }
        let request = fixture.resource("a").request("POST", options)
        fixture.settle()
        #expect(request.info?.response.error?.code == "script_error")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a failing predicate fails the requests of every URL that it is asked about`() throws {
        let service = fixture.service
        let pattern = service.predicatePattern { _ in
            throw RequestError.CauseError(.scriptError(RequestError.ScriptFailure(message: "boom")))
        }
        service.configure(ConfigurationEntry(pattern: pattern, description: "p") { _ in })
        let request = fixture.resource("a").request("GET")
        #expect(request.info?.response.error?.code == "script_error")
        fixture.settle()
    }

    @Test func `a draft is frozen once its blocks have run`() throws {
        var drafts: [ConfigurationDraft] = []
        try fixture.configure { draft in
            #expect(!draft.isFrozen)
            drafts.append(draft)
        }
        _ = fixture.resource("a").configuration(for: "GET")
        #expect(drafts.map(\.isFrozen) == [true])
    }

    @Test func `1.5 14.18 D9 entries are listed, the standard transformers first`() throws {
        try configure("a")
        #expect(
            fixture.service.configurationEntries.map(\.description) == [
                "standard json transformer", "standard text transformer", "standard image transformer",
                "standard ndjson transformer", "block of the test",
            ])
        #expect(fixture.resource("a").resolvedConfiguration(for: "GET").entries == [0, 1, 2, 3, 4])
    }

    private struct Marking: Transformer {
        let name: String
        let journal: Journal
        var description: String { name }

        func process(_ response: Response, _ context: PipelineContext) -> Response {
            journal.note("pipeline of \(name)")
            return response
        }
    }
}
