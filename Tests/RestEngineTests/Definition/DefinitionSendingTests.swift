import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinitionSendingTests {
    let fixture = EngineFixture()

    private func configured(
        _ method: String = "GET", path: String = "a",
        _ apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) throws -> RequestDefinition {
        try fixture.define(
            method, path: path,
            RequestProperties(configuration: [ConfigurationFunction(origin: "x:1", apply: apply)]))
    }

    @Test func `39.3 blocks, mutators, decorators and pipeline hold`() throws {
        var decorated = 0
        try fixture.configure("a") { draft in
            draft.configuration.headers.set("X-Block", "1")
            draft.configuration.mutators.append { $0.headers.set("X-Mutator", $0.headers["X-Own"] ?? "none") }
            draft.configuration.decorators.append { _, request in
                decorated += 1
                return request
            }
        }
        try fixture.stub("GET", "a", .text(200, "[1]", type: "application/json"))
        let definition = try fixture.define(path: "a", RequestProperties(headers: [HeaderItem("X-Own", "2")]))
        let request = definition.send()
        fixture.settle()
        let sent = try #require(fixture.transport.requests.last)
        #expect(sent.headers["X-Block"] == "1" && sent.headers["X-Mutator"] == "2" && decorated == 1)
        #expect(request.info?.response.entity?.content.tree == [1])
    }

    @Test func `39.4 the resource is the one at the URL`() throws {
        let definition = try fixture.define(
            path: "a", RequestProperties(query: [QueryItem("z", .integer(1)), QueryItem("a", .integer(2))]))
        let url = "https://api.test/v1/a?z=1&a=2"
        #expect(definition.resource === fixture.service.resource(absoluteURL: url))
        #expect(try definition.withMethod("POST").resource === definition.resource)
        #expect(
            try definition.removingQuery("z").settingQuery("z", .integer(1)).resource !== definition.resource)
    }

    @Test func `39.3 a request leaves the resource as it is`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let definition = try fixture.define(path: "a")
        definition.send()
        fixture.settle()
        #expect(definition.resource.latestData == nil)
    }

    @Test func `39.5 reading gives fresh data, or loads with this request`() throws {
        let stub = try fixture.stub(
            "GET", "a", .text(200, "x"))
        let definition = try fixture.define(path: "a", RequestProperties(headers: [HeaderItem("X", "own")]))
        var results: [String?] = []
        func read() throws {
            try definition.read { results.append((try? $0.get())?.content.text) }
            fixture.settle()
        }
        try read()
        #expect(results == ["x"] && definition.resource.latestData?.content.text == "x")
        #expect(fixture.transport.requests.last?.headers["X"] == "own")
        try read()
        #expect(results == ["x", "x"] && stub.requests.count == 1)
        fixture.advance(31)
        try read()
        #expect(stub.requests.count == 2 && stub.requests.last?.headers["X"] == "own")
    }

    @Test func `39.5 a read joins the load in flight`() throws {
        let stub = try fixture.stub("GET", "a", .text(200, "x"))
        let definition = try fixture.define(path: "a")
        let resource = fixture.resource("a")
        resource.load()
        var count = 0
        try definition.read { _ in count += 1 }
        try definition.read { _ in count += 1 }
        fixture.settle()
        #expect(count == 2 && stub.requests.count == 1)
    }

    @Test func `39.1 own functions run behind all blocks, the outermost first, field by field`() throws {
        try fixture.configure {
            $0.configuration.timeouts.total = .seconds(5)
            $0.configuration.expirationTime = .seconds(7)
        }
        func function(_ text: String) -> ConfigurationFunction {
            ConfigurationFunction(origin: "x:1") { draft in
                let old =
                    draft.configuration.headers["X"]
                    ?? "\(Int(draft.configuration.timeouts.totalSeconds))"
                draft.configuration.headers.set("X", old + text)
            }
        }
        let definition = try EndpointDefinition(fixture.service)
            .endpoint("", RequestProperties(configuration: [function("s")]))
            .endpoint("a", RequestProperties(configuration: [function("e")]))
            .request("GET", RequestProperties(configuration: [function("r")]))
            .withConfiguration(function("m"))
        let sent = try fixture.sent(definition)
        #expect(sent.headers["X"] == "5serm" && sent.timeouts.total == .seconds(5))
        #expect(fixture.resource("a").configuration(for: "GET").headers.isEmpty)
        let set = try definition.setting(RequestProperties(configuration: [function("only")]))
        #expect(try fixture.sent(set).headers["X"] == "5only")
    }

    @Test func `39.1 its decorators, mutators and pipeline are its own`() throws {
        var steps: [String] = []
        let definition = try configured { draft in
            draft.configuration.mutators.append { $0.headers.set("X", "mutated") }
            draft.configuration.decorators.append { _, request in
                steps.append("decorated")
                return request
            }
            draft.configuration.pipeline.removeTransformers()
        }
        try fixture.stub("GET", "a", .text(200, "[1]", type: "application/json"))
        let request = definition.send()
        fixture.resource("a").request("GET")
        fixture.settle()
        #expect(steps == ["decorated"])
        #expect(fixture.transport.requests.map { $0.headers["X"] } == ["mutated", nil])
        guard case .bytes(let bytes)? = request.info?.response.entity?.content else {
            Issue.record("the pipeline of the blocks ran")
            return
        }
        #expect(bytes == Array("[1]".utf8))
    }

    @Test func `39.2 functions run once for a resource, a method and their list`() throws {
        var runs: [String] = []
        let function = ConfigurationFunction(origin: "x:1") {
            runs.append("\($0.method) \($0.url?.path ?? "")")
        }
        let properties = RequestProperties(configuration: [function])
        for _ in 0..<3 { _ = try fixture.sent(fixture.define(path: "a", properties)) }
        #expect(runs == ["GET /v1/a"])
        _ = try fixture.sent(fixture.define("PUT", path: "a", properties))
        _ = try fixture.sent(fixture.define(path: "b", properties))
        #expect(runs == ["GET /v1/a", "PUT /v1/a", "GET /v1/b"])
        fixture.service.invalidateConfiguration()
        _ = try fixture.sent(fixture.define(path: "a", properties))
        #expect(runs.count == 4)
    }

    @Test func `39.1 a function that fails fails the requests, and nothing is sent`() throws {
        struct Wrong: Error {}
        let request = try configured { _ in throw Wrong() }.send()
        fixture.settle()
        #expect(request.info?.response.error != nil && fixture.transport.requests.isEmpty)
        #expect(fixture.resource("a").resolvedConfiguration(for: "GET").failure == nil)
    }

    @Test func `39.1 a function that sends what it configures comes to an end`() throws {
        var inner: Request?
        var definition: RequestDefinition?
        definition = try configured { _ in inner = definition?.send() }
        try fixture.stub("GET", "a", .response())
        let outer = try #require(definition?.send())
        fixture.settle()
        #expect(inner?.info?.response.error?.code == "script_error" && outer.info?.response.error == nil)
        // The function and the definitions hold each other.
        (definition, inner) = (nil, nil)
    }

    @Test func `39.6 a random key is one for each request and its repeats`() throws {
        var properties = RequestProperties()
        properties.idempotencyKey = .random
        let definition = try fixture.define("POST", path: "a", properties)
        try fixture.stub("POST", "a", .response())
        let first = definition.send()
        fixture.settle()
        first.repeated().start()
        definition.send()
        fixture.settle()
        let keys = fixture.transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] == keys[1] && keys[1] != keys[2] && keys[0]?.utf8.count == 36)
        properties.idempotencyKey = .key("mine")
        #expect(
            try fixture.sent(fixture.define("POST", path: "a", properties)).headers["Idempotency-Key"]
                == "mine")
    }
}
