import RestEngine
import TestSupport
import Testing

@testable import RestScript

@EngineActor
@Suite(.leakChecked)
struct StartingJobsTests {
    /// Loads a script and returns what its host says of its jobs, with the seconds until then.
    private func started(_ source: String, reply: StubReply, held: Double = 0) throws -> [String] {
        let fixture = ScriptFixture()
        let stub = try fixture.transport.stub(
            method: .get, urlGlob: "https://api.test/**", isHeld: held > 0, reply)
        let host = try ScriptHost(
            source: Array((ScriptFixture.prelude + source).utf8), path: "test.lua", engine: fixture.engine,
            options: fixture.options)
        var heard: [String] = []
        let began = fixture.scheduler.uptime
        host.whenStarted(within: 5) { heard.append("\($0) \(Int(fixture.scheduler.uptime - began))") }
        fixture.settle()
        if held > 0 {
            #expect(heard.isEmpty)
            fixture.advance(held)
            stub.go()
        }
        fixture.advance(10)
        host.close()
        fixture.settle()
        return heard
    }

    @Test(arguments: [
        "", "rest.spawn(print)", "rest.spawn(function() rest.sleep(60) end)", "rest.every(60, print)",
        "rest.spawn(function() api:resource('/a'):get() api:resource('/b'):get() rest.sleep(60) end)",
        "for i = 1, 200 do rest.spawn(function() api:resource('/' .. i):get() end) end",
    ]) func `jobs that end or sleep`(source: String) throws {
        #expect(try started(source, reply: .text(200, "x")) == ["[] 0"])
    }

    @Test func `a job that waits for an answer, and one that waits for it too long`() throws {
        let source = "rest.spawn(function() api:resource('/a'):get() end)"
        #expect(try started(source, reply: .text(200, "x"), held: 2) == ["[] 2"])
        #expect(try started(source, reply: .text(200, "x"), held: 7) == [#"["test.lua:1"] 5"#])
    }
}
