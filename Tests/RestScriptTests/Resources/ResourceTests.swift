import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ResourceTests {
    @Test(arguments: [
        ("r:child('b c')", "https://api.test/v1/a/b%20c?x=1"),
        ("r:relative('b?y=2')", "https://api.test/v1/b?y=2"),
        ("r:relative('/z')", "https://api.test/z"), ("r:optional_relative('b')", "https://api.test/v1/b"),
        ("r:with_param('y', 'a b')", "https://api.test/v1/a?x=1&y=a%20b"),
        ("r:with_param('x')", "https://api.test/v1/a"),
        ("r:with_param('x', rest.null)", "https://api.test/v1/a"),
        ("r:with_param('x', '')", "https://api.test/v1/a?x"),
        ("r:with_param('x', { 1, 2 })", "https://api.test/v1/a?x=1&x=2"),
        ("r:with_param('x', {})", "https://api.test/v1/a"),
        ("r:with_param('x', true)", "https://api.test/v1/a?x=true"),
        ("r:with_param('x', 1.5)", "https://api.test/v1/a?x=1.5"),
        ("r:with_params { x = rest.null, b = 2, a = { 'q', 'r' } }", "https://api.test/v1/a?a=q&a=r&b=2"),
        ("r:with_params { { 'b', 1 }, { 'b', 2 } }", "https://api.test/v1/a?b=1&b=2&x=1"),
    ])
    func `navigation gives resources`(call: String, url: String) throws {
        try expect(
            "local r = api:resource_at('https://api.test/v1/a?x=1') print((\(call)).url, \(call) == \(call))",
            prints: ["\(url)\ttrue"])
    }

    @Test(arguments: [
        ("r:child()", "bad argument #1 'text' to 'child' (string expected, got no value)"),
        ("r:with_param()", "bad argument #1 'name' to 'with_param' (string expected, got no value)"),
        ("r:with_param('a', print)", "the value of parameter 'a' can't be a function"),
        ("r:with_params()", "bad argument #1 'params' to 'with_params' (table expected, got no value)"),
        ("r:relative(5)", "bad argument #1 'href' to 'relative' (string expected, got number)"),
        (
            "r.child('x')",
            "bad object for 'child' (resource expected, got string); call it as resource:child(…)"
        ),
        ("r:load_using(5)", "bad argument #1 'request' to 'load_using' (request expected, got number)"),
        (
            "r:override_local_data({})",
            "bad argument #1 'entity' to 'override_local_data' (entity expected, got table)"
        ),
        (
            "r:override_local_content()",
            "bad argument #1 'content' to 'override_local_content' (value expected)"
        ),
        (
            "r:override_local_content(nil)",
            "bad argument #1 'content' to 'override_local_content' (content can't be nil; wipe() removes it)"
        ),
        (
            "r:override_local_content(print)",
            "content can't be made of this value: a function can't be content"
        ),
        ("r:override_local_content(r)", "content can't be a resource: give a table, text or rest.bytes(…)"),
        (
            "r:configuration_for('a b')",
            "bad argument #1 'method' to 'configuration_for' ('a b' is not a method)"
        ),
        ("r.latest_data = 1", "field 'latest_data' of resource is read only"),
        ("r.latestdata()", "unknown field 'latestdata' on resource: did you mean 'latest_data'?"),
        ("r:add_observers(print)", "unknown field 'add_observers' on resource: did you mean 'add_observer'?"),
    ])
    func `a wrong call raises`(call: String, message: String) {
        #expect(loadError("local r = api:resource('a') \(call)") == "1: \(message)")
    }

    @Test func `state follows the loads`() throws {
        try expect(
            """
            local r = api:resource("json")
            local function show()
              print(r.is_loading, r.is_requesting, r.is_up_to_date, #r.load_requests, #r.all_requests, r.latest_data ~= nil, r.timestamp)
            end
            show()
            local request = r:load()
            print(r.load_requests[1] == request, r.all_requests[1] == request, r:load_if_needed() == request)
            show()
            request:on_completion(function()
              show()
              print(r.json.name, r.text, r.latest_error, r:load_if_needed(), r.latest_data.content_kind)
              r:invalidate() print(r.is_up_to_date, r:load_if_needed() ~= nil)
              r:wipe() show()
            end)
            """,
            prints: [
                "false\tfalse\tfalse\t0\t0\tfalse\t0.0", "true\ttrue\ttrue",
                "true\ttrue\tfalse\t1\t1\tfalse\t0.0",
                "false\tfalse\ttrue\t0\t0\ttrue\t1000000.0", "otto\t\tnil\tnil\tjson", "false\ttrue",
                "true\ttrue\tfalse\t1\t1\tfalse\t0.0",
            ])
    }

    @Test func `errors stand beside data, and request touches neither`() throws {
        try expect(
            """
            local r = api:resource("missing")
            r:override_local_content("old")
            rest.spawn(function()
              r:request("GET"):await()
              print(r.latest_error, r.text)
              print(select(2, r:load():await()) ~= nil, r.latest_error.http_status_code, r.text)
              local ok = api:resource("text"):request("GET")
              print(r:load_using(ok) == ok, ok:await().text, r.latest_error, r.text)
            end)
            """, prints: ["nil\told", "true\t404\told", "true\thello\tnil\thello"])
    }

    @Test func `content is a value, what is done to it changes nothing`() throws {
        try expect(
            """
            local r = api:resource("json")
            local request = r:load()
            request:on_success(function(entity) entity.content.id = 99 entity.json.tags[1] = "z" entity.content.own = print end)
            request:on_success(function(entity) print(entity.content.id, entity.content.tags[1], entity.content.own) end)
            rest.spawn(function()
              local a, b = request:await().content, r:get()
              a.id, b.id, r.latest_data.content.id, r.json.id = 1, 2, 3, 4
              print(r:get().id, r.latest_data.content.id, r.json.id, a == b)
              local mine = { list = { 1 } }
              r:override_local_content(mine)
              mine.list[1] = 2
              print(r.json.list[1], r.latest_data.content_kind, r.latest_data.content_type)
            end)
            """, prints: ["7\ta\tnil", "7\t7\t7\tfalse", "1\tvalue\tapplication/json"])
    }

    @Test func `JSON null, empty arrays and 64-bit integers survive`() throws {
        try expect(
            """
            rest.spawn(function()
              local t = api:resource("values"):get()
              print(t.none == rest.null, t.none, t.big, math.type(t.big), math.type(t.real))
              api:resource("copy"):override_local_content(t)
              local copy = api:resource("copy"):get()
              print(rest.json.encode(copy.list), rest.json.encode(copy.map), copy.big == math.maxinteger, copy.none == rest.null)
            end)
            """, prints: ["true\tnull\t9223372036854775807\tinteger\tfloat", "[]\t{}\ttrue\ttrue"])
    }

    @Test func `strings are text, or bytes when they are none or said to be`() throws {
        try expect(
            """
            local r = api:resource("a")
            for _, content in ipairs { "text", "\\255", rest.bytes("text"), { 1 }, 5, true, rest.null } do
              r:override_local_content(content)
              local e = r.latest_data
              print(e.content_kind, type(e.content), #e.text, next(e.json) ~= nil, e.content_type)
            end
            print(rest.bytes("abc"), rest.bytes("a\\0c").string == "a\\0c")
            """,
            prints: [
                "text\tstring\t4\tfalse\tapplication/binary", "bytes\tstring\t0\tfalse\tapplication/binary",
                "bytes\tstring\t0\tfalse\tapplication/binary", "value\ttable\t0\ttrue\tapplication/binary",
                "value\tnumber\t0\tfalse\tapplication/binary", "value\tboolean\t0\tfalse\tapplication/binary",
                "value\tuserdata\t0\tfalse\tapplication/binary", "bytes (3)\ttrue",
            ])
    }

    @Test func `get gives fresh data, joins a load, and answers with the error of a failed one`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            local r = api:resource("slow")
            rest.spawn(function() print(r:get(), rest.now()) end)
            rest.spawn(function() print(r:get(), rest.now()) rest.sleep(1) print(r:get()) end)
            rest.spawn(function() local data, err = api:resource("down"):get() print(data, err.cause.type, err.cause.phase, err.cause.message) end)
            """)
        fixture.advance(3)
        fixture.close()
        #expect(
            fixture.lines == [
                "nil\tconnection_failed\tconnect\tConnection refused", "late\t1000001.0", "late\t1000001.0",
                "late",
            ])
        #expect(fixture.transport.requests.count == 2)
    }
}
