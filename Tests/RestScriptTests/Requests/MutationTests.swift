import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct MutationTests {
    @Test func `mutators run in order after the request's own, for each request and repeat`() throws {
        try expect(
            """
            api:configure(function(c)
              c.headers.Order = "0"
              c:mutate_requests(function(d) d.headers.Order = d.headers.Order .. "2" end)
              c:mutate_requests(function(d) d.headers.Order = d.headers.Order .. "3" d.headers["x-old"] = nil end)
            end)
            rest.spawn(function()
              local request = api:resource("echo"):request("POST", {
                text = "a", headers = { ["X-Old"] = "1" },
                mutate = function(d) print(d.method, d.url, d.body, d.headers["x-old"]) d.headers.Order = d.headers.Order .. "1" end,
              })
              print(request:await().text)
              print(request:repeated():start():await().text)
            end)
            """,
            prints: [
                "POST\thttps://api.test/v1/echo\ta\t1",
                "POST /echo Order=0123 Content-Type=text/plain; charset=utf-8 [a]",
                "POST\thttps://api.test/v1/echo\ta\t1",
                "POST /echo Order=0123 Content-Type=text/plain; charset=utf-8 [a]",
            ])
    }

    @Test func `nil, or null in a table, takes out a header, and one that the host would add`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/**", .text(200, "ok"))
        try fixture.load(
            """
            api:configure("/a", function(c)
              c.headers["X-A"] = "1"
              c.headers["user-agent"] = nil
              c:mutate_requests(function(d) if d.method == "POST" then d.headers["User-Agent"] = "mine" end end)
            end)
            api:resource("a"):load()
            api:resource("a"):request("PUT", { headers = { Accept = rest.null, ["x-a"] = rest.null } })
            api:resource("a"):request("POST", { mutate = function(d) d.headers.Accept = nil end })
            """)
        fixture.close()
        let sent = fixture.transport.requests.map(\.headers)
        #expect(
            sent.map { $0.omitted.sorted() } == [
                ["user-agent"], ["accept", "user-agent", "x-a"], ["accept"],
            ])
        #expect(
            sent.map { $0["X-A"] } == ["1", nil, "1"] && sent.map { $0["User-Agent"] } == [nil, nil, "mine"])
    }

    @Test(arguments: [
        ("d.methd = 'x'", "unknown field 'methd' on draft: did you mean 'method'?"),
        ("d.body = 5", "bad value for 'body' of draft (string expected, got number)"),
        ("d.url = nil", "bad value for 'url' of draft (string expected, got nil)"),
        ("d.headers = 'x'", "bad value for 'headers' of draft (table expected, got string)"),
        ("d.headers.A = {{}}", "the value of header 'A' is a list of lists"), ("error('boom')", "boom"),
    ])
    func `a mutator that fails, fails the request`(body: String, message: String) throws {
        try expect(
            """
            api:configure(function(c) c:mutate_requests(function(d) \(body) end) end)
            rest.spawn(function()
              local _, err = api:resource("echo"):get()
              print(err.user_message, err.cause.type, err.cause.line, err.cause.message, err.url)
            end)
            """, prints: ["Script error\tscript_error\t1\t\(message)\thttps://api.test/v1/echo"])
    }

    @Test func `a draft that was kept is of no effect`() throws {
        try expect(
            """
            local kept
            api:configure(function(c) c:mutate_requests(function(d) kept = d end) end)
            local request = api:resource("echo"):load()
            kept.url = "https://elsewhere.test/"
            rest.spawn(function() print(request:await().text) end)
            """, prints: ["GET /echo"])
    }

    @Test func `decorators get each other's results before anything starts`() throws {
        try expect(
            """
            local other
            api:configure("text", function(c)
              c:decorate_requests(function(resource, request)
                print(resource == api:resource("text"), request.state)
                return request:on_completion(function() print("first") end)
              end)
              c:decorate_requests(function(resource, request)
                other = api:resource("echo"):request("POST")
                return other
              end)
              c:decorate_requests(function(_, request) print(request == other) return request end)
            end)
            local request = api:resource("text"):load()
            rest.spawn(function() print(request == other, request:await().text, api:resource("text").text) end)
            """, prints: ["true\tnot_started", "true", "true\tPOST /echo\tPOST /echo"])
    }

    @Test(arguments: [
        (
            "return nil",
            "Script error\tscript_error\ta decorator returned nothing where it must return a request"
        ),
        (
            "return 5",
            "Script error\tscript_error\ta decorator returned a number where it must return a request"
        ),
        ("error('boom')", "Script error\tscript_error\tboom"),
        ("error(rest.error { user_message = 'Mine', cause = { type = 'mine' } })", "Mine\tmine\tnil"),
        ("request:cancel() return request", "Request cancelled\trequest_cancelled\tnil"),
    ])
    func `a decorator that fails, fails the request and sends nothing`(body: String, expected: String) throws
    {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            api:configure(function(c) c:decorate_requests(function(resource, request) \(body) end) end)
            rest.spawn(function()
              local _, err = api:resource("text"):get()
              print(err.user_message, err.cause.type, err.cause.message)
            end)
            """)
        fixture.close()
        #expect(fixture.lines == [expected])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a function past its budget fails the request with the limit`() throws {
        try expect(
            """
            api:configure("text", function(c) while true do end end)
            api:configure_transformer("json", function(c) while true do pcall(function() while true do end end) end end)
            rest.spawn(function()
              for _, path in ipairs { "text", "json" } do
                local _, err = api:resource(path):get()
                print(err.user_message, err.cause.type, err.cause.budget, err.cause.limit, err.cause.used >= err.cause.limit)
              end
            end)
            """,
            prints: [
                "Script used more than its limit\tscript_limit\ttime\t0.05\ttrue",
                "Cannot parse server response\tscript_limit\ttime\t0.05\ttrue",
            ])
    }

    @Test func `a function past the memory limit fails the request with the limit`() throws {
        let fixture = ScriptFixture()
        fixture.options.memoryLimit = 8 << 20
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            api:configure(function(c) local s = ("x"):rep(1 << 24) end)
            rest.spawn(function()
              local _, err = api:resource("text"):get()
              print(err.cause.type, err.cause.budget, err.cause.limit == 8 << 20, err.cause.used > 0)
            end)
            """)
        fixture.close()
        #expect(fixture.lines == ["script_limit\tmemory\ttrue\ttrue"])
    }
}
