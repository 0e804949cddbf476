import RestEngine
import TestSupport
import Testing

/// The references between a service and other objects (rules 2.7 to 2.9, D39).
@Suite(.leakChecked) @EngineActor
struct ServiceLifeTests {
    let fixture = EngineFixture()

    private func makeService() throws -> Service {
        try Service(engine: fixture.engine, name: "short", baseURL: "https://short.test")
    }

    /// Lets the loop do the work that a service's end leaves to it.
    private func turn(until isOver: @EngineActor () -> Bool) async {
        await yielding(until: "the service's end is over") { isOver() }
    }

    @Test func `D39 a service that made a resource goes with whoever held it, and so does the resource`()
        async throws
    {
        weak var service: Service?
        weak var resource: Resource?
        do {
            let made = try makeService()
            service = made
            resource = made.resource("/a")
            #expect(resource != nil)
        }
        #expect(service == nil)
        await turn { resource == nil }
        #expect(resource == nil)
    }

    @Test func `D39 a resource works without its service, and gives one with all that was configured`()
        async throws
    {
        try fixture.transport.stub(method: .get, urlGlob: "https://short.test/**", .json(200, #"{"a": 1}"#))
        let resource: Resource
        do {
            let service = try makeService()
            service.configure("/a/**") { $0.expirationTime = .seconds(77) }
            resource = service.resource("/a/b")
        }
        let load = resource.load()
        fixture.settle()
        #expect(load.state == .completed && resource.latestData != nil)
        #expect(resource.configuration(for: .get).expirationTime == .seconds(77))
        let service = resource.service
        #expect(service.name == "short" && resource.service === service)
        #expect(service.resource("/a/b") === resource)
        #expect(resource.relative("c").configuration(for: .get).expirationTime == .seconds(77))
    }

    @Test func `D39 without a service nothing keeps what is looked up beside a resource`() async throws {
        var resource: Resource? = try makeService().resource("/a/b")
        weak let sibling = resource?.relative("c")
        #expect(sibling == nil)
        let held = resource?.relative("c")
        #expect(resource?.relative("c") === held)
        weak let last = resource
        resource = nil
        await turn { last == nil }
        #expect(last == nil && held?.urlString == "https://short.test/a/c")
    }

    @Test func `2.8 D39 an observed resource stays until it has no observers`() async throws {
        weak var resource: Resource?
        var owner: Owner? = Owner()
        do {
            let made = try makeService().resource("/a")
            made.addObserver(owner: try #require(owner)) { _, _ in }
            resource = made
        }
        var turns = 0
        await turn {
            turns += 1; return turns == 100
        }
        #expect(resource?.isObserved == true)
        owner = nil
        #expect(resource?.isObserved == false)
        await turn { resource == nil }
        #expect(resource == nil)
    }

    private final class Owner {}
}
