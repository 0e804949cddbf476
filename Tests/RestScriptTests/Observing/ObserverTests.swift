import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ObserverTests {
    private func check(
        _ source: String, seconds: Double = 0, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            source, prelude: ScriptFixture.observerPrelude, seconds: seconds, prints: expected,
            sourceLocation: sourceLocation)
    }

    @Test func `13.1 13.20 functions and tables observe, and adding gives the resource`() throws {
        try check(
            """
            owner, observer = {}, note "self"
            print(r:add_observer(function(resource, event) print("fn", resource == r, event) end)
              :add_observer(function(resource, event) print("owned fn", event) end, owner)
              :add_observer(observer):add_observer(note "owned", owner) == r)
            r:load()
            """,
            prints: [
                "fn\ttrue\tobserver_added", "owned fn\tobserver_added", "self\tobserver_added",
                "owned\tobserver_added", "true", "fn\ttrue\trequested", "owned fn\trequested",
                "self\trequested", "owned\trequested", "self\tprogress\t1.0", "owned\tprogress\t1.0",
                "fn\ttrue\tnew_data(network)", "owned fn\tnew_data(network)", "self\tnew_data(network)",
                "owned\tnew_data(network)",
            ])
    }

    @Test func `13.2 each method of a table may be missing, or come from its class`() throws {
        try check(
            """
            local Class = {}
            Class.__index = Class
            function Class:changed(resource, event) print(self.name, event) end
            observers = { setmetatable({ name = "instance" }, Class), {}, { progress = function(_, _, f) print(f) end } }
            for _, observer in ipairs(observers) do r:add_observer(observer) end
            r:load()
            """,
            prints: [
                "instance\tobserver_added", "instance\trequested", "1.0", "instance\tnew_data(network)",
            ])
    }

    @Test func `13.4 13.9 13.11 events come before the call returns, in the order of adding`() throws {
        try check(
            """
            r:add_observer(function(_, event) print("a", event) end)
            r:add_observer(function(_, event) print("b", event) end)
            r:override_local_content("x") print("after")
            """,
            prints: [
                "a\tobserver_added", "b\tobserver_added", "a\tnew_data(local_override)",
                "b\tnew_data(local_override)", "after",
            ])
    }

    @Test func `13.5 13.6 the events of loads, and what is seen at them`() throws {
        try check(
            """
            local function watch(path)
              local r = api:resource(path)
              r:add_observer(function(r, event)
                print(path, event, r.is_loading, r.latest_data and r.text, r.latest_error and r.latest_error.http_status_code)
              end)
              return r
            end
            watch("missing"):load()
            local r = watch("text")
            r:load()
            r:wipe()
            watch("json"):override_local_data(rest.entity { content = "x", headers = { ETag = '"known"' } })
            api:resource("json"):load()
            r:request("POST")
            """,
            prints: [
                "missing\tobserver_added\tfalse\tnil\tnil", "missing\trequested\ttrue\tnil\tnil",
                "text\tobserver_added\tfalse\tnil\tnil", "text\trequested\ttrue\tnil\tnil",
                "text\tnew_data(wipe)\ttrue\tnil\tnil", "json\tobserver_added\tfalse\tnil\tnil",
                "json\tnew_data(local_override)\tfalse\tx\tnil", "json\trequested\ttrue\tx\tnil",
                "text\trequest_cancelled\tfalse\tnil\tnil", "missing\terror\tfalse\tnil\t404",
                "json\tnot_modified\tfalse\tx\tnil",
            ])
    }

    @Test func `13.10 304 without data is requested, then error`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/text", .response(304))
        try fixture.load(
            "r:add_observer(function(r, event) print(event, r.latest_error and r.latest_error.cause.type) end) r:load()",
            prelude: ScriptFixture.observerPrelude)
        fixture.close()
        #expect(fixture.lines == ["observer_added\tnil", "requested\tnil", "error\tno_local_data_for_304"])
    }

    @Test func `13.12 a table is one observer, functions repeat`() throws {
        try check(
            """
            observer, owner = note "t", {}
            local function fn(_, event) print("fn", event) end
            r:add_observer(observer):add_observer(observer):add_observer(observer, owner)
            r:add_observer(fn):add_observer(fn)
            r:override_local_content("x")
            """,
            prints: [
                "t\tobserver_added", "fn\tobserver_added", "fn\tobserver_added",
                "t\tnew_data(local_override)",
                "fn\tnew_data(local_override)", "fn\tnew_data(local_override)",
            ])
    }

    @Test func `5.13 load_using tells the progress of another's request, request alone tells none`() throws {
        try check(
            """
            observer = note "t"
            r:add_observer(observer)
            r:load_using(api:resource("echo"):request("POST"))
            r:request("GET")
            """,
            prints: ["t\tobserver_added", "t\trequested", "t\tprogress\t1.0", "t\tnew_data(network)"])
    }

    @Test func `13.23 an observer that fails is logged with its place, and the others still run`() throws {
        try check(
            """
            r:add_observer(function(_, event) if event ~= "observer_added" then
              error("broken") end end)
            observer = { changed = function(self, _, event)
              if event ~= "observer_added" then self.missing() end end }
            r:add_observer(observer)
            r:add_observer(function(_, event) print(event) end)
            r:override_local_content("x") print("after")
            """,
            prints: [
                "observer_added", "error: an observer of https://api.test/v1/text: broken",
                "error: 'changed' of an observer of https://api.test/v1/text: attempt to call a nil value (field 'missing')",
                "new_data(local_override)", "after",
            ])
        let fixture = ScriptFixture()
        try fixture.load(
            "\nr:add_observer(function() error('x') end)", prelude: ScriptFixture.observerPrelude)
        fixture.close()
        #expect(fixture.log.first?.place == "test.lua:2")
    }

    @Test func `13.23 an observer that waits holds up nobody`() throws {
        try check(
            """
            r:add_observer(function(resource, event)
              print("begins", event) rest.sleep(1) print("ends", event, resource.text) end)
            r:add_observer(function(resource, event) print("other", event) end)
            r:load():on_success(function() print("hook") end)
            """, seconds: 3,
            prints: [
                "begins\tobserver_added", "other\tobserver_added", "begins\trequested", "other\trequested",
                "begins\tnew_data(network)", "other\tnew_data(network)", "hook",
                "ends\tobserver_added\thello",
                "ends\trequested\thello", "ends\tnew_data(network)\thello",
            ])
    }

    @Test func `13.23 one that waits for ever ends with the script, one that yields is wrong`() throws {
        try check(
            """
            r:add_observer(function() rest.custom = 1 end)
            r:add_observer(function() coroutine.yield() end)
            r:add_observer(function() local x <close> = setmetatable({}, { __close = function() print "closed" end }) while true do rest.sleep(1000) end end)
            """,
            prints: [
                "error: an observer of https://api.test/v1/text: 'rest' can't be changed: keep your own values in a table of your own",
                "error: an observer of https://api.test/v1/text: attempt to yield from outside a coroutine",
                "closed",
            ])
    }

    @Test func `13.23 an endless loop costs an observer its time, and nobody else`() throws {
        let lines = try output(
            """
            r:add_observer(function() while true do end end)
            r:add_observer(function(_, event) print(event) end)
            """, prelude: ScriptFixture.observerPrelude)
        #expect(lines.count == 2 && lines.last == "observer_added")
        let beginning = "error: an observer of https://api.test/v1/text: hook used "
        #expect(lines.first?.hasPrefix(beginning) == true, "\(lines)")
        #expect(lines.first?.contains(" in one go; its limit is 500 ms: ") == true, "\(lines)")
    }

    @Test func `13.23 observers that change what they observe come to an end`() throws {
        let fixture = ScriptFixture()
        var warnings = 0
        fixture.engine.log.handler = { category, _ in if category == .warning { warnings += 1 } }
        try fixture.load(
            """
            local count = 0
            r:add_observer(function(r, event) count = count + 1 if event ~= "observer_added" then r:override_local_content("x") end end)
            r:override_local_content("x")
            print(count)
            for _ = 1, 3 do r:add_observer(function(r, event) if event ~= "observer_added" then r:override_local_content("x") end end) end
            rest.after(1, function() r:override_local_content("x") print("over") end)
            """, prelude: ScriptFixture.observerPrelude)
        #expect(fixture.take() == ["21"])
        #expect(warnings == 1)
        fixture.advance(2)
        // This doesn't even use up the hook's time.
        #expect(fixture.lines == ["over"])
        #expect(warnings == 1)
        fixture.close()
    }

    @Test func `13.23 observers may add and remove observers while they are notified`() throws {
        try check(
            """
            local late, second = note "late", note "second"
            keep = { late, second }
            r:add_observer(function(r, event)
              if event == "new_data(local_override)" then r:add_observer(late) r:remove_observers(second) end
            end)
            r:add_observer(second)
            r:override_local_content("x")
            r:wipe()
            """,
            prints: [
                "second\tobserver_added", "late\tobserver_added", "second\tstopped", "late\tnew_data(wipe)",
            ])
    }

    @Test func `a resource and a request are each one value, while there is one`() throws {
        try check(
            """
            local seen = { [r] = "it" }
            r:add_observer(function(resource) print(seen[resource], resource == r) end)
            local request = r:load()
            print(r.load_requests[1] == request, ({ [request] = true })[r.all_requests[1]])
            """,
            prints: ["it\ttrue", "it\ttrue", "true\ttrue", "it\ttrue"])
    }

    @Test func `remove_observers of nil, nothing and strangers does nothing`() throws {
        try check(
            """
            r:add_observer(function(_, event) print(event) end)
            r:remove_observers(nil) r:remove_observers() r:remove_observers({}) r:remove_observers(r)
            r:wipe()
            """, prints: ["observer_added", "new_data(wipe)"])
    }
}
