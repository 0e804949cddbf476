import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Owners are held weakly: tables die when they are collected, which `flush_unused_resources` causes.
@Suite(.leakChecked) @EngineActor
struct ObserverOwnershipTests {
    private func check(
        _ source: String, seconds: Double = 0, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            source, prelude: ScriptFixture.observerPrelude, seconds: seconds, prints: expected,
            sourceLocation: sourceLocation)
    }

    @Test func `13.13 a table that owns itself goes when it is collected, and in silence`() throws {
        try check(
            """
            observer = note "t"
            r:add_observer(observer)
            r:add_observer(observer, observer)
            api:flush_unused_resources()
            r:override_local_content("x")
            observer = nil
            api:flush_unused_resources()
            r:override_local_content("y")
            """, prints: ["t\tobserver_added", "t\tnew_data(local_override)"])
    }

    @Test func `13.14 an owner keeps an observer that nobody else keeps, and its end is notified`() throws {
        try check(
            """
            owner = {}
            r:add_observer(note "t", owner)
            r:add_observer(function(_, event) print("fn", event) end, owner)
            api:flush_unused_resources()
            r:override_local_content("x")
            owner = nil
            api:flush_unused_resources()
            r:override_local_content("y")
            """,
            prints: [
                "t\tobserver_added", "fn\tobserver_added", "t\tnew_data(local_override)",
                "fn\tnew_data(local_override)", "t\tstopped",
            ])
    }

    @Test func `13.14 an observer that refers to its owner does not keep it`() throws {
        try check(
            """
            do
              local owner = { name = "owner" }
              local observer = note "t"
              observer.owner = owner
              owner.observer = observer
              function observer:stopped_observing(resource) print("stopped", self.owner.name, resource.text) end
              r:add_observer(observer, owner)
              r:add_observer(function() print(owner.name) end, owner)
            end
            r:override_local_content("x")
            api:flush_unused_resources()
            r:override_local_content("y")
            """,
            prints: [
                "t\tobserver_added", "owner", "t\tnew_data(local_override)", "owner", "stopped\towner\tx",
            ])
    }

    @Test func `13.14 what an observer refers to is whole when it is notified of the end`() throws {
        try check(
            """
            do
              local other = api:resource("json")
              local load = r:load()
              r:add_observer({ other = other, stopped_observing = function(self, resource)
                print(self.other.url, load.state, resource == r)
                resource:cancel_load_if_unobserved()
              end }, {})
            end
            api:flush_unused_resources()
            print(r.is_loading, r.load_requests[1].is_cancelled)
            """, prints: ["https://api.test/v1/json\tin_progress\ttrue", "true\ttrue"])
    }

    @Test func `13.15 an observer lives until all its owners are gone`() throws {
        try check(
            """
            a, b = {}, {}
            r:add_observer(note "t", a)
            do
              local observer = note "u"
              r:add_observer(observer, a):add_observer(observer, b)
            end
            a = nil
            api:flush_unused_resources()
            r:override_local_content("x")
            b = nil
            api:flush_unused_resources()
            """,
            prints: [
                "t\tobserver_added", "u\tobserver_added", "t\tstopped", "u\tnew_data(local_override)",
                "u\tstopped",
            ])
    }

    @Test func `13.16 13.17 removing by owner: tables, functions, and those that own themselves`() throws {
        try check(
            """
            owner, self = {}, note "self"
            r:add_observer(note "a", owner):add_observer(note "b", owner):add_observer(self)
            r:add_observer(function(_, event) print("fn", event) end, owner)
            r:remove_observers(owner)
            print "removed"
            r:override_local_content("x")
            r:remove_observers(self)
            print "end"
            """,
            prints: [
                "a\tobserver_added", "b\tobserver_added", "self\tobserver_added", "fn\tobserver_added",
                "removed",
                "a\tstopped", "b\tstopped", "self\tnew_data(local_override)", "end", "self\tstopped",
            ])
    }

    @Test func `13.16 an owner that is removed from one resource goes on owning at another`() throws {
        try check(
            """
            local other = api:resource("json")
            owner = {}
            do
              local observer = note "t"
              r:add_observer(observer, owner)
              other:add_observer(observer, owner)
            end
            r:remove_observers(owner)
            api:flush_unused_resources()
            r:override_local_content("x")
            other:override_local_content("x")
            """,
            prints: ["t\tobserver_added", "t\tobserver_added", "t\tstopped", "t\tnew_data(local_override)"])
    }

    @Test func `13.18 one that is removed and added again is notified of both`() throws {
        try check(
            """
            owner, observer = {}, note "t"
            r:add_observer(observer, owner)
            r:remove_observers(owner)
            r:add_observer(observer, owner)
            r:override_local_content("x")
            """,
            prints: ["t\tobserver_added", "t\tstopped", "t\tobserver_added", "t\tnew_data(local_override)"])
    }

    @Test func `13.18 an observer may come back at its end, with another owner`() throws {
        try check(
            """
            second = {}
            do
              local observer = note "t"
              function observer:stopped_observing(resource)
                print "stopped"
                if second then resource:add_observer(self, second) end
              end
              r:add_observer(observer, {})
            end
            api:flush_unused_resources()
            r:override_local_content("x")
            second = nil
            api:flush_unused_resources()
            """,
            prints: [
                "t\tobserver_added", "stopped", "t\tobserver_added", "t\tnew_data(local_override)", "stopped",
            ])
    }

    @Test func `13.19 an owner that comes later keeps an observer that kept itself`() throws {
        try check(
            """
            owner = {}
            do
              local observer = note "t"
              r:add_observer(observer)
              r:add_observer(observer, owner)
            end
            api:flush_unused_resources()
            r:override_local_content("x")
            owner = nil
            api:flush_unused_resources()
            r:override_local_content("y")
            """, prints: ["t\tobserver_added", "t\tnew_data(local_override)"])
    }

    @Test func `13.22 losing its observers does not stop a load`() throws {
        try check(
            """
            r:add_observer(note "t", {})
            local request = r:load()
            api:flush_unused_resources()
            rest.spawn(function() print(request:await().text, r.text) end)
            """,
            prints: ["t\tobserver_added", "t\trequested", "t\tstopped", "hello\thello"])
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
}
