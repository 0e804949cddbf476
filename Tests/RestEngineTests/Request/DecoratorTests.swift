import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DecoratorTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func decorate(_ decorator: @escaping RequestDecorator) throws {
        try fixture.configure { $0.configuration.decorators.append(decorator) }
    }

    @Test func `15.1 configured headers, then the caller's mutation, then mutators in order`() throws {
        try fixture.stub("POST", "a", .response())
        try fixture.configure { draft in
            draft.configuration.headers.set("X", "configured")
            draft.configuration.mutators.append { $0.headers.add("X", "first") }
            draft.configuration.mutators.append { draft in
                draft.headers.add("X", "second after \(draft.headers.values("X").count)")
            }
        }
        var options = RequestOptions()
        options.mutate = { $0.headers.add("X", "ad hoc") }
        fixture.resource("a").request("POST", options)
        fixture.settle()
        #expect(
            fixture.transport.requests.first?.headers.values("X")
                == ["configured", "ad hoc", "first", "second after 3"])
    }

    @Test func `15.2 mutators run for each request`() throws {
        try fixture.stub("GET", "a", .response())
        var runs = 0
        try fixture.configure { $0.configuration.mutators.append { _ in runs += 1 } }
        let request = fixture.resource("a").request("GET")
        fixture.resource("a").load()
        request.repeated().start()
        fixture.settle()
        #expect(runs == 3)
    }

    @Test func `a mutator that throws fails the request and sends nothing`() throws {
        try fixture.configure {
            $0.configuration.mutators.append { _ in
                throw RequestError.CauseError(.scriptError(RequestError.ScriptFailure(message: "no")))
            }
        }
        let request = fixture.resource("a").request("GET")
        #expect(request.state == .completed)
        #expect(request.info?.response.error?.code == "script_error")
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `15.4 decorators run in order, on a request that has not started`() throws {
        try fixture.stub("GET", "a", .response())
        let journal = journal
        for name in ["first", "second"] {
            try decorate { resource, request in
                journal.note("\(name) \(request.state.rawValue) \(resource.urlString)")
                return request
            }
        }
        fixture.resource("a").request("GET")
        #expect(
            journal.lines == [
                "first not_started https://api.test/v1/a", "second not_started https://api.test/v1/a",
            ])
        fixture.settle()
    }

    @Test func `15.5 15.6 only the request that came out last is seen, and sent`() throws {
        try fixture.stub("GET", "a", .response())
        try fixture.stub("GET", "b", .response())
        var replacement: Request?
        var seen: [ObjectIdentifier] = []
        try fixture.configure("a") { draft in
            draft.configuration.decorators.append { resource, _ in
                let other = resource.relative("b").request("GET")
                replacement = other
                return other
            }
            draft.configuration.decorators.append { _, request in
                seen.append(ObjectIdentifier(request))
                return request
            }
        }
        let resource = fixture.resource("a")
        let request = resource.load()
        #expect(request === replacement)
        #expect(seen == [ObjectIdentifier(request)])
        #expect(resource.allRequests.map(ObjectIdentifier.init) == [ObjectIdentifier(request)])
        #expect(resource.loadRequests.map(ObjectIdentifier.init) == [ObjectIdentifier(request)])
        fixture.settle()
        #expect(fixture.transport.requests.map(\.url) == ["https://api.test/v1/b"])
        replacement = nil
    }

    @Test func `15.8 a decorator may cancel`() throws {
        try decorate { _, request in
            request.cancel()
            return request
        }
        fixture.noteEvents(in: journal)
        let request = fixture.resource("a").load()
        #expect(request.state == .completed && request.isCancelled)
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty)
        #expect(journal.lines == ["a: requested", "a: request_cancelled"])
    }

    @Test func `15.10 every request is decorated once`() throws {
        try fixture.stub("GET", "a", .response())
        try fixture.stub("POST", "a", .response())
        var count = 0
        try decorate { _, request in
            count += 1
            return request
        }
        let resource = fixture.resource("a")
        resource.load()
        resource.request("POST")
        resource.loadIfNeeded()
        fixture.settle()
        #expect(count == 2)
    }

    @Test func `a decorator that throws fails the request`() throws {
        try decorate { _, _ in
            throw RequestError.CauseError(.scriptError(RequestError.ScriptFailure(message: "no")))
        }
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        #expect(resource.latestError?.code == "script_error")
        #expect(fixture.transport.requests.isEmpty)
    }
}
