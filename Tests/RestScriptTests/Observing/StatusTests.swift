import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct StatusTests {
    @Test func `28.1 28.3 a status over resources, in the array part or by name`() throws {
        try expect(
            """
            local a, b = api:resource("text"), api:resource("missing")
            status = rest.status { a, resources = { b } }
            print(status.state, status.error)
            print(status:on_change(function(s)
              print(s == status, s.state, s.error and s.error.http_status_code)
            end) == status)
            a:load() b:load()
            rest.after(1, function() b:override_local_content("mine") end)
            """, seconds: 2,
            prints: ["success\tnil", "true", "true\tloading\tnil", "true\terror\t404", "true\tsuccess\tnil"])
    }

    @Test func `28.1 the order of the rules decides`() throws {
        try expect(
            """
            local a, b = api:resource("text"), api:resource("missing")
            a:override_local_content("x")
            local any = rest.status { resources = { a, b }, priority = { "any_data", "loading" } }
            local all = rest.status { resources = { a, b }, priority = { "all_data", "error", "loading" } }
            local none = rest.status { resources = { a, b }, priority = {} }
            b:load()
            print(any.state, all.state, none.state)
            rest.spawn(function() b.load_requests[1]:await() print(any.state, all.state, none.state) end)
            """, prints: ["success\tloading\tsuccess", "success\terror\tsuccess"])
    }

    @Test func `28.2 retry loads what has an error and tracks it, track counts any request`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/a", .response(500))
        try fixture.transport.stub(method: "POST", urlGlob: "https://api.test/v1/a", .text(200, "x"))
        try fixture.load(
            """
            local a = api:resource("a")
            local status = rest.status { a, priority = { "manual_loading", "error" } }
            status:on_change(function(s) print(s.state) end)
            a:load()
            rest.after(2, function() print(status:retry() == status) end)
            rest.after(3, function() print(status:track(a:request("POST")) == status) end)
            """)
        fixture.advance(4)
        fixture.close()
        #expect(
            fixture.lines == ["error", "loading", "true", "error", "loading", "true", "error"])
    }

    @Test func `28.3 a status is an observer, alone or with an owner`() throws {
        try expect(
            """
            local a = api:resource("missing")
            local owner = {}
            do
              local s = rest.status {}
              s:on_change(function(s) print(s.state) end)
              print(a:add_observer(s, owner) == a)
            end
            api:flush_unused_resources()
            a:load()
            rest.after(1, function() owner = nil api:flush_unused_resources() print "flushed" end)
            """, seconds: 2, prints: ["true", "loading", "error", "success", "flushed"])
    }

    @Test func `28.3 what a status no longer observes is out of it`() throws {
        try expect(
            """
            local a = api:resource("missing")
            status = rest.status { a }
            a:load()
            rest.after(1, function()
              print(status.state)
              a:remove_observers(status)
              rest.after(0.25, function() print(status.state) end)
            end)
            """, seconds: 2, prints: ["error", "success"])
    }

    @Test
    func `a status that is listened to lives without a variable, one that refers to itself does not leak`()
        throws
    {
        try expect(
            """
            local a = api:resource("text")
            do
              local s = rest.status { a }
              s:on_change(function() print(s.state) end)
            end
            rest.status { a }
            api:flush_unused_resources()
            a:load()
            """, prints: ["loading", "success"])
    }

    @Test func `a function of a status that fails is logged`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            "rest.status { api:resource('a') }:on_change(function() error('broken') end) api:resource('a'):load():cancel()"
        )
        fixture.close()
        #expect(
            fixture.log.map(\.text) == ["on_change of a status: broken", "on_change of a status: broken"])
        #expect(fixture.log.first?.place == "test.lua:1")
    }

    @Test(arguments: [
        ("rest.status(5)", "bad argument #1 'options' to 'rest.status' (table expected, got number)"),
        ("rest.status { 5 }", "item 1 of the list is a resource, not a number"),
        ("rest.status { resources = { api } }", "item 1 of 'resources' is a resource, not a service"),
        (
            "rest.status { resources = api:resource('a') }",
            "bad option 'resources' to 'rest.status' (table expected, got resource)"
        ),
        ("rest.status { priority = { 'eror' } }", "unknown rule 'eror' in 'priority': did you mean 'error'?"),
        (
            "rest.status { priority = { 'any_dat' } }",
            "unknown rule 'any_dat' in 'priority': did you mean 'any_data'?"
        ),
        (
            "rest.status { priority = { 'zzzzzzzz' } }",
            "unknown rule 'zzzzzzzz' in 'priority': there are loading, manual_loading, any_data, all_data, error"
        ),
        ("rest.status { priority = { 5 } }", "item 1 of 'priority' must be a string, not a number"),
        ("rest.status { resource = {} }", "unknown option 'resource': did you mean 'resources'?"),
        (
            "rest.status {}:on_change(5)",
            "bad argument #1 'fn' to 'on_change' (function expected, got number)"
        ),
        ("rest.status {}:track(5)", "bad argument #1 'request' to 'track' (request expected, got number)"),
        ("return rest.status {}.stat", "unknown field 'stat' on status: did you mean 'state'?"),
    ])
    func `a wrong call raises`(call: String, message: String) {
        #expect(loadError(call) == "1: \(message)")
    }
}
