import Platform
import RestEngine
import TestSupport
import Testing

/// Steps of a pipeline that together take long. The loop does other work between them.
@Suite(.leakChecked) @EngineActor
struct PipelinePartsTests {
    let fixture = EngineFixture(standardTransformers: [])
    let journal = Journal()

    init() { fixture.engine.movesLargeContent = true }

    /// Takes longer than the steps of one response may take in one go.
    private struct Slow: Transformer {
        let name: String
        let journal: Journal
        var description: String { name }

        func process(_ response: Response, _ context: PipelineContext) -> Response {
            journal.note(name)
            let end = ClockReading.uptime + 0.012
            while ClockReading.uptime < end {}
            return response
        }
    }

    @Test func `steps that take long go on in later passes of the loop, in their order`() async throws {
        let journal = journal
        try fixture.configure { draft in
            for name in ["a", "b", "c"] {
                draft.configuration.pipeline[.model].add(Slow(name: name, journal: journal))
            }
        }
        try fixture.stub("GET", "x", .text(200, "text"))
        let request = fixture.resource("x").load()
        fixture.settle()
        #expect(journal.lines == ["a"] && request.state == .inProgress)
        for _ in 0..<10 where request.state == .inProgress {
            await fixture.engine.offloadedWorkEnds()
            fixture.settle()
        }
        #expect(journal.lines == ["a", "b", "c"])
        #expect(fixture.resource("x").latestData != nil)
    }
}
