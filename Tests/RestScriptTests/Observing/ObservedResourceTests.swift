import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Resources whose observers' owners have gone.
@Suite(.leakChecked) @EngineActor
struct ObservedResourceTests {
    private func check(
        _ source: String, seconds: Double = 0, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            source, prelude: ScriptFixture.observerPrelude, seconds: seconds, prints: expected,
            sourceLocation: sourceLocation)
    }

    @Test func `2.8 1.13 an observed resource survives the flush, and goes when its observer's owner has`()
        throws
    {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            local owner = {}
            api:resource("a"):add_observer(note "t", owner)
            api:resource("b")
            do
              local c = api:resource("c")
              c:add_observer(function() return c end, owner)
            end
            api:flush_unused_resources()
            rest.after(1, function() owner = nil api:flush_unused_resources() end)
            """, prelude: ScriptFixture.observerPrelude)
        let service = try #require(fixture.host?.services.first)
        #expect(live(service) == ["a", "c", "text"])
        fixture.advance(1)
        #expect(live(service) == [])
        #expect(fixture.lines == ["t\tobserver_added", "t\tstopped"])
        fixture.close()
    }

    @Test func `1.11 wiping drops what only dead owners observed, and wipes the others`() throws {
        try check(
            """
            owner = {}
            r:add_observer(note "t", owner)
            r:override_local_content("x")
            api:wipe_resources()
            print(r.latest_data)
            """,
            prints: ["t\tobserver_added", "t\tnew_data(local_override)", "t\tnew_data(wipe)", "nil"])
    }

    @Test func `owners die in the course of an ordinary run`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            local stopped = 0
            for i = 1, 2000 do
              local owner = { i }
              r:add_observer({ owner = owner, stopped_observing = function(self) stopped = stopped + 1 end }, owner)
              r:add_observer(function() return owner end, owner)
            end
            for i = 1, 200 do
              local garbage = {}
              for j = 1, 5000 do garbage[j] = { j } end
              r:override_local_content(tostring(i))
              if stopped > 1000 then break end
            end
            print(stopped > 1000)
            r:remove_observers(r)
            """, prelude: ScriptFixture.observerPrelude)
        #expect(fixture.lines == ["true"])
        fixture.close()
    }

    private func live(_ service: Service) -> [String] {
        service.liveResources.map { $0.urlString.replacing("https://api.test/v1/", with: "") }.sorted()
    }
}
