import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `service:computed`.
@Suite(.leakChecked) @EngineActor
struct ComputedBindingTests {
    @Test(
        arguments: [
            (#"return { n = 1 }"#, #"value application/json {"n":1}"#),
            (#"return "text""#, "text text/plain; charset=utf-8 text"),
            (#"return rest.bytes "ab""#, "bytes application/octet-stream ab"),
            (#"return rest.entity { content = "x", content_type = "text/csv" }"#, "text text/csv x"),
            (#"return rest.response { status = 203, text = "x" }"#, "text text/plain x"),
            ("", "bytes application/octet-stream "),
            (
                "return api:resource('/json'):get()",
                #"value application/json {"id":7,"name":"otto","tags":["a","b"]}"#
            ),
        ])
    func `its content is what the function returns`(body: String, printed: String) throws {
        try expect(
            """
            api:computed("/x", function(params, resource) \(body) end)
            rest.spawn(function()
              local x, err = api:resource("/x"):get()
              local shown = type(x) == "table" and rest.json.encode(x) or type(x) == "string" and x or nil
              local data = api:resource("/x").latest_data
              print(err or (data.content_kind .. " " .. data.content_type .. " " .. tostring(shown)))
            end)
            """, prints: [printed])
    }

    @Test(
        arguments: [
            (#"error "boom""#, "GET https://api.test/v1/x: boom (test.lua:1)"),
            (#"return nil, "no data""#, "GET https://api.test/v1/x: no data"),
            (
                "return api:resource('/missing'):get()",
                "GET https://api.test/v1/missing: Not found (404): no such thing"
            ),
            (
                "return print",
                "GET https://api.test/v1/x: Script error: a computed resource's content can't be made of this value: a function can't be content"
            ),
            (
                "return api:resource('/x'):get()",
                "GET https://api.test/v1/x: Script error: test.lua:1: a circle of computed resources: https://api.test/v1/x → https://api.test/v1/x"
            ),
            (
                "return api:resource('/y'):get()",
                "GET https://api.test/v1/y: Script error: test.lua:1: a circle of computed resources: https://api.test/v1/y → https://api.test/v1/x → https://api.test/v1/y"
            ),
        ])
    func `its error is the function's`(body: String, printed: String) throws {
        try expect(
            """
            api:computed("/x", function() \(body) end) api:computed("/y", function() return api:resource("/x"):get() end)
            rest.spawn(function()
              local x, err = api:resource("/x"):get()
              print(err)
            end)
            """, prints: [printed])
    }

    @Test func `71.6 a circle through data that is not waited for is an error too`() throws {
        try expect(
            """
            api:computed("/x", function() return { n = api:resource("/y").json.n or 0 } end)
            api:computed("/y", function() return { n = api:resource("/x"):get().n + 1 } end)
            rest.spawn(function()
              print(api:resource("/x"):get().n)
              print(select(2, api:resource("/y"):get()))
            end)
            """,
            prints: [
                "0",
                "GET https://api.test/v1/y: Script error: test.lua:2: a circle of computed resources: https://api.test/v1/y → https://api.test/v1/x → https://api.test/v1/y",
            ])
    }

    @Test(
        arguments: [
            (
                #"api:computed("/a/{", function() end)"#,
                "1: bad argument #1 'path' to 'computed' ('{' is no name"
            ),
            (#"api:computed(5, function() end)"#, "1: bad argument #1 'path' to 'computed'"),
            (#"api:computed("/a")"#, "1: bad argument #2 'fn' to 'computed'"),
            (#"api:computed("/a", { folow = true }, function() end)"#, "did you mean 'follow'?"),
            (#"api:computed("/a", { expiration_time = -1 }, function() end)"#, "expiration_time"),
            (#"api:computed("/a", function() end, { follow = true })"#, "options"),
        ])
    func `wrong arguments are errors`(source: String, message: String) {
        let error = loadError(source)
        #expect(error?.contains(message) == true, "\(error ?? "no error")")
    }

    @Test func `71.4 observed, it is computed once for all changes of its sources`() throws {
        try expect(
            """
            api:computed("/x", function()
              local one, two = api:resource("/json"):get(), api:resource("/list"):get()
              return { name = one.name, first = two[1] }
            end)
            local x = api:resource("/x")
            x:add_observer(function(_, event) print(event .. " " .. rest.json.encode(x.json)) end)
            rest.spawn(function()
              x:get()
              api:resource("/json"):override_local_content { name = "eve" }
              api:resource("/list"):override_local_content { 9 }
            end)
            """,
            prints: [
                "observer_added {}", "requested {}", #"new_data(network) {"first":1,"name":"otto"}"#,
                #"requested {"first":1,"name":"otto"}"#, #"new_data(network) {"first":9,"name":"eve"}"#,
            ])
    }

    @Test func `71.2 code that a read causes makes no sources`() throws {
        try expect(
            """
            api:resource("/json"):add_observer(function() local _ = api:resource("/text").text end)
            api:computed("/x", function() return api:resource("/json"):get() end)
            rest.spawn(function()
              api:resource("/x"):get()
              api:resource("/text"):load():await()
              print(api:resource("/x").is_up_to_date)
              api:resource("/json"):load():await()
              print(api:resource("/x").is_up_to_date)
            end)
            """, prints: ["true", "false"])
    }

    @Test func `71.1 decorators and transformers of its path see it like any other`() throws {
        try expect(
            """
            api:computed("/x", function() return { n = 1 } end)
            api:configure("/x", function(c)
              c:decorate_requests(function(resource, request)
                print("decorated " .. resource.url)
                return request:chained(function(info)
                  if info.response.ok then return rest.use_this_response end
                  return rest.use_response(rest.entity { content = "instead" })
                end)
              end)
            end)
            api:configure_transformer("/x", function(content) return { n = content.n + 1 } end)
            api:computed("/bad", function() return nil, "no" end)
            api:configure("/bad", function(c)
              c:decorate_requests(function(_, request)
                return request:chained(function() return rest.use_response(rest.entity { content = "instead" }) end)
              end)
            end)
            rest.spawn(function()
              print(api:resource("/x"):get().n)
              print(api:resource("/bad"):get())
            end)
            """, prints: ["decorated https://api.test/v1/x", "2", "instead"])
    }

    @Test func `functions of rest_all and jobs that it spawns read for it`() throws {
        try expect(
            """
            api:computed("/x", function()
              local all = rest.all {
                function() return api:resource("/json"):get() end, api:resource("/list"):load_if_needed(),
              }
              return { n = #all }
            end)
            rest.spawn(function()
              print(api:resource("/x"):get().n)
              api:resource("/list"):override_local_content { 1 }
              print(api:resource("/x").is_up_to_date)
            end)
            """, prints: ["2", "false"])
    }
}
