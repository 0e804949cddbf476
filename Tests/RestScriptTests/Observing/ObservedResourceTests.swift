import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Owners of each kind, and the resources that are observed.
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

    @Test func `a function without an owner lives as long as its script`() throws {
        try check(
            """
            r:add_observer(function(_, event) print(event) end)
            api:flush_unused_resources()
            rest.after(1, function() api:flush_unused_resources() r:override_local_content("x") end)
            """, seconds: 2, prints: ["observer_added", "new_data(local_override)"])
    }

    @Test func `a request owns while it is in flight, though the script has forgotten it`() throws {
        try check(
            """
            do
              local request = api:resource("slow"):load()
              r:add_observer(function(_, event) print(event, request.state) end, request)
              r:add_observer(note "t", request)
            end
            api:flush_unused_resources()
            r:override_local_content("x")
            rest.after(2, function()
              api:flush_unused_resources()
              print "over"
              r:override_local_content("y")
            end)
            """, seconds: 3,
            prints: [
                "observer_added\tin_progress", "t\tobserver_added", "new_data(local_override)\tin_progress",
                "t\tnew_data(local_override)", "t\tstopped", "over",
            ])
    }

    @Test func `resources, services and handles own too`() throws {
        try check(
            """
            local other, timer = api:resource("json"), rest.after(1, function() end)
            for name, owner in pairs { other = other } do r:add_observer(note(name), owner) end
            r:add_observer(note "service", api):add_observer(note "timer", timer)
            other, timer = nil, nil
            api:flush_unused_resources()
            r:override_local_content("x")
            rest.after(2, function()
              api:flush_unused_resources()
              print "over"
              r:override_local_content("y")
            end)
            """, seconds: 3,
            prints: [
                "other\tobserver_added", "service\tobserver_added", "timer\tobserver_added", "other\tstopped",
                "service\tnew_data(local_override)", "timer\tnew_data(local_override)", "timer\tstopped",
                "over",
                "service\tnew_data(local_override)",
            ])
    }

    @Test func `2.8 1.13 an observed resource survives the flush, and goes when its observer's owner has`()
        throws
    {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            owner = {}
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
            for i = 1, 20 do
              local garbage = {}
              for j = 1, 5000 do garbage[j] = { j } end
              r:override_local_content(tostring(i))
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
