import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Sections 14 and 16 of the rules as scripts see them.
@Suite(.leakChecked) @EngineActor
struct ConfigurationRows {
    @Test("14.1 14.19: what no block sets has its default")
    func defaults() throws {
        try expect(
            """
            api:configure(function(c) c.retry_time = 9 end)
            local c = api:resource("a").configuration
            print(c.expiration_time, c.retry_time, c.progress_interval, table.concat(c.pipeline.order, " "))
            """, prints: ["30.0\t9.0\t0.05\traw_data decoding parsing model cleanup"])
    }

    @Test("14.2 14.3: blocks of pattern and methods run in order, each on the last one's result")
    func blocks() throws {
        try expect(
            """
            local function add(text) return function(c) c.headers.X = (c.headers.X or "") .. text end end
            api:configure(add "1")
            api:configure("a*", add "2")
            api:configure("**", { methods = { "POST", "put" } }, add "3")
            api:configure("a", { methods = "GET", description = "four" }, add "4")
            for _, path in ipairs { "a", "b" } do
              for _, method in ipairs { "GET", "POST", "PUT", "DELETE" } do
                print(path, method, api:resource(path):configuration_for(method).headers.X)
              end
            end
            """,
            prints: [
                "a\tGET\t124", "a\tPOST\t123", "a\tPUT\t123", "a\tDELETE\t12", "b\tGET\t1", "b\tPOST\t13",
                "b\tPUT\t13", "b\tDELETE\t1",
            ])
    }

    @Test(
        "14.4 14.5 14.6: a block runs once for a resource and method, until there is a new one or an invalidation"
    )
    func caching() throws {
        try expect(
            """
            local value, runs = 1, 0
            api:configure(function(c) runs = runs + 1 c.expiration_time = value end)
            local a, b = api:resource("a"), api:resource("b")
            local function show() print(a.configuration.expiration_time, a.configuration.expiration_time, runs) end
            show() value = 2 show()
            api:invalidate_configuration() print(runs) show()
            api:configure("nothing", function() end) show()
            local _ = b.configuration, a:configuration_for("POST") print(runs)
            """,
            prints: ["1.0\t1.0\t1", "1.0\t1.0\t1", "1", "2.0\t2.0\t2", "2.0\t2.0\t3", "5"])
    }

    @Test("14.7: times are those of GET")
    func times() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            api:configure({ methods = "POST" }, function(c) c.expiration_time = 1000 end)
            api:configure({ methods = "GET" }, function(c) c.expiration_time = 10 end)
            local r = api:resource("a") r:override_local_content("x")
            print(r.is_up_to_date)
            rest.after(11, function() print(r.is_up_to_date) end)
            """)
        fixture.advance(11)
        fixture.close()
        #expect(fixture.lines == ["true", "false"])
    }

    @Test("14.16 D10: a transformer goes to the model stage, replaces, and is for these five methods")
    func transformerDefaults() throws {
        let lines = try output(
            """
            api:configure(function(c) c.pipeline.model:add(function() return "replaced" end) end)
            api:configure_transformer("a", function(c) return c .. "!" end)
            rest.spawn(function()
              for _, method in ipairs { "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS" } do
                print(method, api:resource("a"):request(method):await().text)
              end
            end)
            """, stubs: [("a", .text(200, "x"))])
        #expect(
            lines == ["GET", "PUT", "POST", "PATCH", "DELETE"].map { "\($0)\tx!" }
                + ["HEAD\treplaced", "OPTIONS\treplaced"])
    }

    @Test("14.17: replace clears the stage, append adds at its end")
    func replaceAndAppend() throws {
        let lines = try output(
            """
            local function say(word) return function(c) return c .. word end end
            api:configure_transformer("**", say "1")
            api:configure_transformer("**", { action = "append" }, say "2")
            api:configure_transformer("b", { action = "replace" }, say "3")
            api:configure_transformer("b", { stage = "cleanup" }, say "4")
            rest.spawn(function() print(api:resource("a"):get(), api:resource("b"):get()) end)
            """, stubs: [("a", .text(200, "0")), ("b", .text(200, "0"))])
        #expect(lines == ["012\t034"])
    }

    @Test("14.20: headers and mutators are those of the method asked for, the rest of the one sent")
    func mutatedMethod() throws {
        let lines = try output(
            """
            for _, method in ipairs { "GET", "POST" } do
              api:configure({ methods = method }, function(c)
                c.headers.From = method
                c:mutate_requests(function(d) print("mutator", method, d.headers.From) d.method = "POST" end)
                c:decorate_requests(function(_, request) print("decorator", method) return request end)
                c.pipeline.model:add(function(content) return content .. method end)
              end)
            end
            rest.spawn(function() print(api:resource("a"):request("GET"):await().text) end)
            """, stubs: [("a", .text(200, "of "))])
        #expect(lines == ["mutator\tGET\tGET", "decorator\tPOST", "of POST"])
    }

    @Test("16.1 16.2: stages in order, transformers in the order of adding")
    func stages() throws {
        let lines = try output(
            """
            api:configure(function(c)
              for _, name in ipairs { "cleanup", "model", "raw_data" } do
                for i = 1, 2 do c.pipeline[name]:add(function(content) return content .. " " .. name .. i end) end
              end
            end)
            rest.spawn(function() print(api:resource("a"):get()) end)
            """, stubs: [("a", .response(body: Array("x".utf8)))])
        #expect(lines == ["x raw_data1 raw_data2 model1 model2 cleanup1 cleanup2"])
    }

    @Test("16.3 16.4 16.5 D26: an order moves and drops stages; a stage is its name")
    func order() throws {
        let lines = try output(
            """
            local function say(word) return function(content) return content .. word end end
            api:configure(function(c)
              c.pipeline["my stage"]:add(say "1")
              c.pipeline["my " .. "stage"]:add(say "2")
              c.pipeline.model:add(say "never")
              c.pipeline.cleanup:add(say "3")
              c.pipeline.order = { "cleanup", "empty", "my stage" }
            end)
            rest.spawn(function() print(api:resource("a"):get()) end)
            """, stubs: [("a", .response(body: Array("x".utf8)))])
        #expect(lines.last == "x312")
        #expect(lines.first?.hasPrefix("warn: the pipeline's order leaves out 'model', 'parsing'") == true)
    }

    @Test("16.6 D22: a stage twice in an order is an error")
    func duplicate() throws {
        try expect(
            """
            api:configure(function(c) c.pipeline.order = { "model", "model" } end)
            rest.spawn(function()
              local _, err = api:resource("text"):get() print(err.cause.message, err.cause.line)
            end)
            """, prints: ["stage 'model' occurs twice in the pipeline's order\t1"])
    }

    @Test("16.7: clearing keeps the order")
    func clearing() throws {
        let lines = try output(
            """
            local function say(word) return function(content) return content .. word end end
            api:configure(function(c)
              c.pipeline.order = { "model", "raw_data", "parsing" }
              c.pipeline.model:add(say "1") c.pipeline.raw_data:add(say "2")
            end)
            api:configure("one", function(c) c.pipeline.model:remove_transformers() end)
            api:configure("all", function(c) c.pipeline:remove_transformers() c.pipeline.raw_data:add(say "3") end)
            api:configure("clear", function(c) c.pipeline:clear() c.pipeline.model:add(say "4") end)
            rest.spawn(function()
              for _, path in ipairs { "none", "one", "all", "clear" } do
                print(path, api:resource(path):get(), #api:resource(path).configuration.pipeline.order)
              end
            end)
            """,
            stubs: ["none", "one", "all", "clear"].map { ($0, .response(body: Array("x".utf8))) })
        #expect(lines == ["none\tx12\t3", "one\tx2\t3", "all\tx3\t3", "clear\tx4\t3"])
    }

    @Test("16.8 16.9: what the stages make is the outcome, and failures pass all of them")
    func outcome() throws {
        let lines = try output(
            """
            api:configure(function(c)
              for _, stage in ipairs { "raw_data", "model" } do
                c.pipeline[stage]:add(rest.response_transformer(function(r) print(stage, r.ok) return r end))
              end
              c.pipeline.cleanup:add(rest.response_transformer(function(r)
                return r.ok and rest.failure(rest.error { user_message = "now bad" }) or rest.success(rest.entity { content = "now good" })
              end))
            end)
            rest.spawn(function()
              print(api:resource("bad"):load():await().text)
              print(select(2, api:resource("good"):load():await()).user_message)
              print(api:resource("bad").latest_error, api:resource("good").latest_data)
            end)
            """, stubs: [("bad", .response(500)), ("good", .response())])
        #expect(
            lines == [
                "raw_data\tfalse", "model\tfalse", "now good", "raw_data\ttrue", "model\ttrue", "now bad",
                "nil\tnil",
            ])
    }

    @Test("16.10: a 304 with data does not pass, one without does")
    func notModified() throws {
        let lines = try output(
            """
            api:configure(function(c)
              c.pipeline.model:add(rest.response_transformer(function(r) print("seen", r.ok) return r end))
            end)
            local r = api:resource("a")
            rest.spawn(function()
              r:load():await() r:override_local_content("x") print(r:load():await().text)
            end)
            """, stubs: [("a", .response(304))])
        #expect(lines == ["seen\tfalse", "x"])
    }

    @Test("16.12: the pipeline is the one configured when the response arrives")
    func lateConfiguration() throws {
        let lines = try output(
            """
            local request = api:resource("a"):load()
            api:configure_transformer("**", function(c) return c .. " late" end)
            rest.spawn(function() print(request:await().text) end)
            """, stubs: [("a", .text(200, "x"))])
        #expect(lines == ["x late"])
    }

    @Test("16.13: every request passes, whatever its method")
    func everyRequest() throws {
        let lines = try output(
            """
            api:configure(function(c) c.pipeline.model:add(function(content) return content .. "!" end) end)
            rest.spawn(function() print(api:resource("a"):request("REPORT"):await().text) end)
            """, stubs: [("a", .text(200, "x"))])
        #expect(lines == ["x!"])
    }
}
