import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct RefreshWhileObservedTests {
    let fixture = EngineFixture()

    @Test func `53.10 A resource is loaded again for as long as somebody observes it`() throws {
        try fixture.configure { $0.configuration.refreshWhileObserved = .seconds(10) }
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        var owner: Owner? = Owner()
        if let owner { resource.addObserver(owner: owner) { _, _ in } }
        resource.load()
        fixture.settle()
        for count in 1...4 {
            #expect(fixture.transport.requests.count == count)
            fixture.advance(9)
            #expect(fixture.transport.requests.count == count)
            fixture.advance(1)
        }
        owner = nil
        _ = owner
        let count = fixture.transport.requests.count
        fixture.advance(100)
        #expect(fixture.transport.requests.count == count)
    }
}
