import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DecorationStackTests {
    let fixture = EngineFixture()

    private func decorate(_ glob: String, _ decorator: @escaping RequestDecorator) throws {
        try fixture.configure(glob) { $0.configuration.decorators.append(decorator, origin: "a.lua:3") }
    }

    private func failure(_ request: Request) throws -> RequestError.ScriptFailure {
        guard case .scriptError(let failure)? = request.info?.response.error?.cause else {
            Issue.record("not a script's fault")
            return RequestError.ScriptFailure(message: "")
        }
        return failure
    }

    @Test func `a decorator that replaces a request by one for the same resource is reported`() throws {
        try decorate("a") { resource, _ in resource.request("GET") }
        let request = fixture.resource("a").load()
        fixture.settle()
        let failure = try failure(request)
        #expect(
            failure.message.hasPrefix(
                "this decorator of GET https://api.test/v1/a requests the same resource again"))
        #expect(failure.file == "a.lua" && failure.line == 3)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `one that starts such requests beside its own sends none of them`() throws {
        try decorate("a") { resource, request in
            resource.load()
            return request
        }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(try failure(request).line == 3)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `two that lead to each other are reported for the first`() throws {
        let a = fixture.resource("a")
        let b = fixture.resource("b")
        try decorate("a") { [unowned b] _, _ in b.request("GET") }
        try decorate("b") { [unowned a] _, _ in a.request("GET") }
        let request = a.load()
        fixture.settle()
        #expect(try failure(request).message.contains("requests one that leads back to it"))
    }

    @Test func `one that asks again once is left alone`() throws {
        try fixture.stub("GET", "a", .text(200, "hello"))
        var isInside = false
        try decorate("a") { resource, request in
            guard !isInside else { return request }
            isInside = true
            defer { isInside = false }
            resource.request("GET")
            return request
        }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(request.info?.response.error == nil)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `resources without end inside each other are reported as well`() throws {
        try decorate("**") { resource, request in
            resource.child("x").request("GET")
            return request
        }
        let request = fixture.resource("a").load()
        fixture.settle()
        #expect(
            try failure(request).message.hasPrefix("decorators request further resources, nested "))
        #expect(fixture.transport.requests.isEmpty)
    }
}
