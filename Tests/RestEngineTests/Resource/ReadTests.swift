import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct ReadTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func read(_ resource: Resource) {
        resource.read { [journal] result in
            switch result {
            case .success(let entity): journal.note("data \(entity.content.text ?? "?")")
            case .failure(let error): journal.note("error \(error.userMessage)")
            }
        }
    }

    @Test func `fresh data is read at once`() throws {
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("x"))
        read(resource)
        #expect(journal.lines == ["data x"])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `reads of stale data share one load`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        for _ in 0..<3 { read(resource) }
        fixture.settle()
        #expect(journal.lines == ["data x", "data x", "data x"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `without collapse each read of stale data loads`() throws {
        try fixture.stub("GET", "a", .text(200, "x"))
        try fixture.configure { $0.configuration.isCollapsing = false }
        let resource = fixture.resource("a")
        for _ in 0..<3 { read(resource) }
        fixture.settle()
        #expect(fixture.transport.requests.count == 3)
    }

    @Test func `inside the retry time a read without data gives the last error`() throws {
        try fixture.stub("GET", "a", .response(404))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        read(resource)
        #expect(journal.take() == ["error Not found"])
        fixture.advance(2)
        read(resource)
        fixture.settle()
        #expect(journal.take() == ["error Not found"])
        #expect(fixture.transport.requests.count == 2)
    }
}
