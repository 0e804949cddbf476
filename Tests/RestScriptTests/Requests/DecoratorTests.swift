import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DecoratorTests {
    @Test(
        "15.4: a decorator that returns no request fails its request, with its place",
        arguments: [
            ("", "nothing"), ("return nil", "nothing"), ("return 5", "a number"),
            ("return resource", "a resource"),
            ("return rest.use_this_response", "an action"),
        ])
    func noRequest(body: String, name: String) throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            api:configure(function(c)
              c:decorate_requests(function(resource, request)
                \(body)
              end)
            end)
            local request = api:resource("text"):load()
            print(request.state, request.response.error)
            print(request.response.error.cause.file, request.response.error.cause.line)
            """)
        fixture.close()
        #expect(
            fixture.lines == [
                "completed\tGET https://api.test/v1/text: Script error: test.lua:2: a decorator returned \(name) "
                    + "where it must return a request", "test.lua\t2",
            ])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("15.4: one that raises fails its request, with the line")
    func raising() throws {
        try expect(
            """
            api:configure(function(c)
              c:decorate_requests(function(resource, request)
                error("boom")
              end)
            end)
            print(api:resource("text"):load().response.error)
            print(api:resource("text"):request("POST").response.error)
            """,
            prints: [
                "GET https://api.test/v1/text: Script error: test.lua:3: boom",
                "POST https://api.test/v1/text: Script error: test.lua:3: boom",
            ])
    }

    @Test("15.5 15.8 15.9: hooks come first; cancel, replace, hold back")
    func freedoms() throws {
        try expect(
            """
            api:configure("text", function(c)
              c:decorate_requests(function(resource, request)
                return request:on_completion(function() print("decorator", resource.is_loading) end)
              end)
            end)
            api:configure("json", function(c)
              c:decorate_requests(function(_, request) request:cancel() return request end)
            end)
            api:configure("list", function(c)
              c:decorate_requests(function(_, request) return rest.failed_request("not allowed") end)
            end)
            local held
            api:configure("values", function(c)
              c:decorate_requests(function(_, request)
                held = request
                return rest.custom_request { start = function(complete)
                  request:on_completion(function(info) complete(info.response) end)
                end }
              end)
            end)
            local text = api:resource("text")
            text:load():on_completion(function() print("caller", text.is_loading, text.text) end)
            local cancelled = api:resource("json"):load()
            print(cancelled.state, cancelled.is_cancelled, api:resource("json").is_loading)
            local refused = api:resource("list"):load()
            print(refused.response.error, api:resource("list").latest_error)
            local values = api:resource("values")
            local load = values:load()
            rest.after(1, function()
              print(load.state, held.state, #values.all_requests, api:resource("list").latest_error)
              held:start()
              print(#values.all_requests, values.all_requests[1] == load, values.all_requests[2] == held)
            end)
            load:on_success(function(e) print(e.json.big, values.json.big) end)
            """, seconds: 1,
            prints: [
                "completed\ttrue\ttrue", "not allowed\tnil", "decorator\ttrue", "caller\tfalse\thello",
                "in_progress\tnot_started\t1\tnot allowed", "2\ttrue\ttrue",
                "9223372036854775807\t9223372036854775807",
            ])
    }

    @Test("15.10: each request is decorated once, a repeat is not")
    func once() throws {
        try expect(
            """
            local n = 0
            api:configure(function(c) c:decorate_requests(function(_, request) n = n + 1 return request end) end)
            local request = api:resource("text"):request("GET")
            api:resource("text"):load()
            print(n)
            rest.spawn(function() request:await() request:repeated():start():await() print(n) end)
            """, prints: ["2", "2"])
    }

    @Test(
        "15.3: a mutation that makes a request impossible fails it, where it is written",
        arguments: [
            (
                "d.headers.A = 'x\\r\\nB: y'",
                "the value of header 'A' contains a line break or control character"
            ),
            (
                "d.headers.A = { 'x', 'y\\0' }",
                "the value of header 'A' contains a line break or control character"
            ),
            ("d.headers['a b'] = 'x'", "'a b' is not a header name"),
            ("d.headers['a\\n'] = 'x'", "'a\\x0a' is not a header name"),
            (
                "d.headers = { A = '\\127' }",
                "the value of header 'A' contains a line break or control character"
            ),
        ])
    func headers(body: String, message: String) throws {
        let source = """
            local function show(request) print(request.response.error.cause.type, request.response.error) end
            api:configure("echo", function(c)
              c:mutate_requests(function(d)
                \(body)
              end)
            end)
            api:configure("echo/2", function(d)
              \(body)
            end)
            show(api:resource("echo"):request("GET"))
            show(api:resource("echo/2"):request("GET"))
            show(api:resource("echo/3"):request("GET", { mutate = function(d) \(body) end }))
            """
        try expect(
            source,
            prints: [("echo", 4), ("echo/2", 8), ("echo/3", 12)].map { path, line in
                "script_error\tGET https://api.test/v1/\(path): Script error: test.lua:\(line): \(message)"
            })
    }

    @Test("15.3: the same for a method and a URL, which are distinguished by their causes")
    func targets() throws {
        try expect(
            """
            local function try(edit)
              local err = api:resource("echo"):request("GET", { mutate = edit }).response.error
              print(err.user_message, err.cause.type, err.cause.method or err.cause.source)
            end
            try(function(d) d.method = "A B" end)
            try(function(d) d.method = "A\\r\\nB" end)
            try(function(d) d.method = "" end)
            try(function(d) d.url = "https://api.test/a b\\n" end)
            try(function(d) d.url = "ftp://api.test/" end)
            """,
            prints: [
                "Cannot create request\tinvalid_request_method\tA B",
                "Cannot create request\tinvalid_request_method\tA\r\nB",
                "Cannot create request\tinvalid_request_method\t",
                "Cannot send request with invalid URL\tinvalid_url\thttps://api.test/a b\n",
                "Cannot send request with invalid URL\tinvalid_url\tftp://api.test/",
            ])
    }
}
