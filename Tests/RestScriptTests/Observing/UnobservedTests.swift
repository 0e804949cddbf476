import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct UnobservedTests {
    private func check(
        _ source: String, seconds: Double = 0, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            source, prelude: ScriptFixture.observerPrelude, seconds: seconds, prints: expected,
            sourceLocation: sourceLocation)
    }

    @Test func `5.19 cancels the loads, and no other request, when nobody observes`() throws {
        try check(
            """
            local load, other = r:load(), r:request("POST")
            local observer = note "t"
            r:add_observer(observer)
            print(r:cancel_load_if_unobserved(), load.is_cancelled)
            r:remove_observers(observer)
            r:cancel_load_if_unobserved()
            print(load.is_cancelled, other.is_cancelled)
            """, prints: ["t\tobserver_added", "nil\tfalse", "t\tstopped", "true\tfalse"])
    }

    @Test func `5.20 after a delay, with a function that always runs and may wait`() throws {
        try check(
            """
            local slow = api:resource("slow")
            keep = note "t"
            keep.progress = nil
            local load = slow:load()
            slow:add_observer(keep)
            slow:cancel_load_if_unobserved(0.25, function() print("first", load.is_cancelled, rest.now()) end)
            rest.after(0.25, function() slow:remove_observers(keep) end)
            slow:cancel_load_if_unobserved(0.5, function() rest.sleep(0.25) print("second", load.is_cancelled, rest.now()) end)
            slow:cancel_load_if_unobserved(0.75)
            """, seconds: 2,
            prints: [
                "t\tobserver_added", "first\tfalse\t1000000.25", "t\tstopped", "second\ttrue\t1000000.75",
            ])
    }

    @Test func `5.20 without a delay the function runs in a later tick`() throws {
        try check(
            """
            local load = r:load()
            r:cancel_load_if_unobserved(nil, function() print("then", load.is_cancelled) end)
            r:cancel_load_if_unobserved(0, function() print("zero") end)
            print("now", load.is_cancelled)
            """, prints: ["now\tfalse", "then\ttrue", "zero"])
    }

    @Test func `5.20 the script goes on until the check has come, and ends it when it is closed`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            "r:cancel_load_if_unobserved(5, function() print('then') end)",
            prelude: ScriptFixture.observerPrelude)
        #expect(fixture.host?.hasWork == true)
        fixture.close()
        fixture.advance(6)
        #expect(fixture.lines == [])
    }
}
