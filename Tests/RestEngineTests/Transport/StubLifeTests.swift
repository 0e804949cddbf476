import RestEngine
import TestSupport
import Testing

/// Objects that a finished test leaves behind, found by the check that all suites with a fixture use.
struct StubLifeTests {
    @Test @EngineActor func `a cancelled transfer of a held stub keeps nothing alive`() async throws {
        weak var scheduler: Scheduler?
        weak var request: Request?
        try {
            let fixture = EngineFixture()
            try fixture.stub("GET", "a", isHeld: true, .response())
            let load = fixture.resource("a").load()
            (scheduler, request) = (fixture.scheduler, load)
            fixture.settle()
            load.cancel()
            fixture.settle()
        }()
        #expect(request == nil)
        // The end of a service leaves work to the loop.
        await yielding(until: "the scheduler is gone") { scheduler == nil }
    }

    @Test @EngineActor func `requests are freed when they have ended`() throws {
        let fixture = EngineFixture()
        try fixture.stub("GET", "a", .text(200, "x"))
        weak var request: Request?
        var info: ResponseInfo?
        try {
            let load = fixture.resource("a").load()
            load.onCompletion { info = $0 }
            request = load
            let repeated = load.repeated()
            fixture.settle()
            _ = try #require(repeated.start().state == .inProgress ? repeated : nil)
            fixture.settle()
        }()
        #expect(info != nil && request == nil)
    }
}
