import RestEngine
import TestSupport
import Testing

/// The requests that a resource lists (rules 4.8, D5).
@Suite(.leakChecked) @EngineActor
struct TrackingTests {
    let fixture = EngineFixture()

    private func expectListed(
        _ requests: [Request?], _ resource: Resource, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            resource.allRequests.map(ObjectIdentifier.init)
                == requests.compactMap { $0.map(ObjectIdentifier.init) },
            sourceLocation: sourceLocation)
        #expect(resource.isRequesting == !requests.isEmpty, sourceLocation: sourceLocation)
    }

    private func decorate(_ decorator: @escaping RequestDecorator) throws {
        try fixture.configure { $0.configuration.decorators.append(decorator) }
    }

    @Test("4.8: the list is in the order of initiation, and a request leaves it with its first hook")
    func order() throws {
        try fixture.stub("GET", "a", .text(200, "x", delay: .seconds(2)))
        try fixture.stub("POST", "a", .text(200, "x", delay: .seconds(1)))
        let resource = fixture.resource("a")
        let (first, second, third) = (resource.request("GET"), resource.request("POST"), resource.load())
        expectListed([first, second, third], resource)
        #expect(resource.loadRequests.first === third && resource.loadRequests.count == 1)
        fixture.clock.advance(by: 1)
        fixture.runTick()
        #expect(second.state == .completed)
        expectListed([first, second, third], resource)
        fixture.runTick()
        expectListed([first, third], resource)
        fixture.advance(1)
        expectListed([], resource)
    }

    @Test("4.8 15.5: the list holds what the decorators made, once, and not what is inside of it")
    func decorated() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var bare: Request?
        try decorate { _, request in
            bare = request
            return request.chained { _ in .useThisResponse }
        }
        let resource = fixture.resource("a")
        let load = resource.load()
        #expect(load !== bare && bare?.state == .inProgress)
        expectListed([load], resource)
        fixture.settle()
        expectListed([], resource)
        bare = nil
    }

    @Test("a decorator that gives the same request to all does not have it listed twice")
    func shared() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var first: Request?
        try decorate { _, request in
            first = first ?? request
            return first ?? request
        }
        let resource = fixture.resource("a")
        let (one, two) = (resource.request("GET"), resource.request("GET"))
        #expect(one === two)
        expectListed([one], resource)
        fixture.settle()
        expectListed([], resource)
        first = nil
    }

    @Test("D5 15.7: what a decorator held back is listed when a chain passes to it, and wiped")
    func heldBack() throws {
        let login = try fixture.stub("POST", "login", isHeld: true, .response())
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        var bare: Request?
        try fixture.configure("a") {
            $0.configuration.decorators.append { resource, request in
                bare = request
                return resource.relative("login").request("POST").chained { _ in .passTo(request) }
            }
        }
        let resource = fixture.resource("a")
        let load = resource.load()
        expectListed([load], resource)
        #expect(bare?.state == .notStarted)
        login.go()
        fixture.settle()
        expectListed([load, bare], resource)
        resource.wipe()
        #expect(load.isCancelled && bare?.isCancelled == true && fixture.transport.transfersInFlight == 0)
        fixture.settle()
        expectListed([], resource)
        bare = nil
    }

    @Test("D5 9.6: a repeat in a chain is listed while it runs, and wiped")
    func repeatInChain() throws {
        try fixture.stub("GET", "a", .response(401))
        try decorate { _, request in
            request.chained { info in
                info.response.error == nil ? .useThisResponse : .passTo(request.repeated())
            }
        }
        let resource = fixture.resource("a")
        let load = resource.load()
        fixture.runTick()
        let stub = try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        fixture.settle()
        #expect(resource.allRequests.count == 2 && resource.allRequests.first === load)
        let again = resource.allRequests.last
        resource.wipe()
        #expect(load.isCancelled && again?.isCancelled == true)
        stub.go()
        fixture.settle()
        expectListed([], resource)
    }

    @Test("D5 9.8: a repeated chain is listed, not the repeat inside of it")
    func repeatedChain() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try decorate { _, request in request.chained { _ in .useThisResponse } }
        let resource = fixture.resource("a")
        let load = resource.load()
        fixture.settle()
        let again = load.repeated()
        expectListed([], resource)
        again.start()
        expectListed([again], resource)
        fixture.settle()
        expectListed([], resource)
    }

    @Test("a chain of a request that runs adds nothing to the list")
    func chained() throws {
        try fixture.stub("GET", "a", isHeld: true, .text(200, "x"))
        let resource = fixture.resource("a")
        let request = resource.request("GET")
        let chain = request.chained { _ in .useThisResponse }
        expectListed([request], resource)
        resource.wipe()
        fixture.settle()
        #expect(chain.isCancelled)
    }

    @Test("15.6: a discarded original is never started nor listed; started later by hand, it is")
    func discarded() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        var bare: Request?
        let engine = fixture.engine
        try decorate { _, request in
            bare = request
            return Request(engine: engine, failedWith: RequestError(userMessage: "no", timestamp: 0))
        }
        let resource = fixture.resource("a")
        let load = resource.load()
        expectListed([load], resource)
        fixture.settle()
        #expect(bare?.state == .notStarted && fixture.transport.requests.isEmpty)
        expectListed([], resource)
        bare?.start()
        expectListed([bare], resource)
        fixture.settle()
        expectListed([], resource)
        bare = nil
    }
}
