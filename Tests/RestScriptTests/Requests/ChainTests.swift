import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ChainTests {
    /// Prints the end of a request.
    private let show = """
        local function show(request)
          return request:on_success(function(e) print("success", e.text) end)
            :on_failure(function(err) print(tostring(err)) end)
        end
        local function entity(text) return rest.entity { content = text } end
        """

    @Test(
        "10.2: a chain does what its function returns",
        arguments: [
            ("rest.use_this_response", ["success\thello"]),
            ("rest.use_response(rest.success(entity('own')))", ["success\town"]),
            ("rest.use_response(entity('own'))", ["success\town"]),
            (
                "rest.use_response(rest.failure(rest.error { user_message = 'Mine' }))", ["Mine"]
            ), ("rest.use_response(rest.error { user_message = 'Mine' })", ["Mine"]),
            (
                "rest.pass_to(api:resource('missing'):load())",
                ["GET https://api.test/v1/missing: Not found (404): no such thing"]
            ),
            ("rest.pass_to(request:repeated())", ["success\thello"]),
            ("rest.pass_to(rest.failed_request('No'))", ["No"]),
        ])
    func actions(action: String, printed: [String]) throws {
        try expect(
            """
            \(show)
            local request = api:resource("text"):request("GET")
            show(request:chained(function(info) return \(action) end))
            """, prints: printed)
    }

    @Test("10.1 7.10: the function gets the outcome: response, is_new, is_cancellation")
    func info() throws {
        try expect(
            """
            local function look(info)
              print(info.response.ok, info.response.error and info.response.error.http_status_code, info.is_new, info.is_cancellation)
              return rest.use_this_response
            end
            api:resource("text"):load():chained(look)
            api:resource("missing"):load():chained(look)
            local r = api:resource("json")
            r:override_local_data(rest.entity { content = { id = 1 }, headers = { ETag = '"known"' } })
            local chain = r:load():chained(look):on_not_modified(function() print("not modified") end)
            local cancelled = api:resource("slow"):load()
            cancelled:chained(look)
            cancelled:cancel()
            """, seconds: 1,
            prints: [
                "false\tnil\ttrue\ttrue", "true\tnil\ttrue\tfalse", "false\t404\ttrue\tfalse",
                "true\tnil\tfalse\tfalse", "not modified",
            ])
    }

    @Test(
        "a function that returns no action, or raises, fails the chain with its place",
        arguments: [
            (
                "",
                "the function of a chain returned nothing where it must return rest.use_this_response, "
                    + "rest.use_response(…) or rest.pass_to(…)"
            ),
            (
                "return nil",
                "the function of a chain returned nothing where it must return rest.use_this_response, "
                    + "rest.use_response(…) or rest.pass_to(…)"
            ),
            (
                "return request",
                "the function of a chain returned a request where it must return rest.use_this_response, "
                    + "rest.use_response(…) or rest.pass_to(…)"
            ),
            (
                "return rest.use_response",
                "the function of a chain returned a function where it must return "
                    + "rest.use_this_response, rest.use_response(…) or rest.pass_to(…)"
            ),
            ("error('boom')", "boom"),
            ("local x = nil + 1", "attempt to perform arithmetic on a nil value"),
            (
                "return rest.use_response(5)",
                "bad argument #1 'response' to 'rest.use_response' (response, info, entity or error expected, got number)"
            ),
            (
                "return rest.pass_to()",
                "bad argument #1 'request' to 'rest.pass_to' (request expected, got no value)"
            ),
        ])
    func failing(body: String, message: String) throws {
        try expect(
            """

            local request = api:resource("text"):request("GET")
            local chain = request:chained(function(info) \(body) end)
            chain:on_failure(function(err)
              print(err.cause.type, err.cause.file, err.cause.line, err.cause.message)
              print(tostring(err))
            end)
            """,
            prints: [
                "script_error\ttest.lua\t3\t\(message)",
                "GET https://api.test/v1/text: Script error: test.lua:3: \(message)",
            ])
    }

    @Test("an error object that is raised is the chain's error")
    func raised() throws {
        try expect(
            """
            api:resource("text"):load():chained(function() error(rest.error { user_message = "Mine", http_status_code = 418 }) end)
              :on_failure(function(err) print(err.user_message, err.http_status_code) end)
            """, prints: ["Mine\t418"])
    }

    @Test("10.5: the function may wait; the chain is in progress until it has decided")
    func waiting() throws {
        try expect(
            """
            local request = api:resource("text"):request("GET")
            local chain = request:chained(function(info)
              rest.sleep(1)
              local other = api:resource("json"):get()
              print("decides", rest.now(), other.name)
              return rest.use_response(entity or rest.entity { content = other.name })
            end)
            chain:on_success(function(e) print(e.text, chain.state) end)
            rest.after(0.5, function() print(request.state, chain.state, chain.response) end)
            rest.spawn(function() print("awaited", chain:await().text) end)
            """, seconds: 2,
            prints: [
                "completed\tin_progress\tnil", "decides\t1000001.0\totto", "otto\tcompleted", "awaited\totto",
            ])
    }

    @Test("10.3: a chain starts with its request, or starts it")
    func starts() throws {
        try expect(
            """
            local running = api:resource("text"):request("GET")
            print(running:chained(function() return rest.use_this_response end).state)
            local again = running:repeated()
            local chain = again:chained(function() return rest.use_this_response end)
            print(again.state, chain.state)
            print(chain:start() == chain, again.state, chain.state)
            """, prints: ["in_progress", "not_started\tnot_started", "true\tin_progress\tin_progress"])
    }

    @Test("10.6 10.8 D6: cancelling a chain cancels what it waits for")
    func cancels() throws {
        try expect(
            """
            local slow = api:resource("slow"):request("GET")
            local chain = slow:chained(function() print("asked") return rest.use_this_response end)
            chain:on_completion(function(info) print("chain", info.is_cancellation) end)
            chain:cancel()
            print(slow.is_cancelled, chain.is_cancelled)
            local passed
            local second = api:resource("text"):request("GET"):chained(function()
              passed = api:resource("slow"):request("GET")
              return rest.pass_to(passed)
            end)
            rest.after(0.5, function() print(second.state) second:cancel() print(passed.is_cancelled) end)
            """, seconds: 1, prints: ["true\ttrue", "chain\ttrue", "in_progress", "true"])
    }

    @Test("a function that waits when its chain is cancelled runs to its end, and decides nothing")
    func cancelledWhileWaiting() throws {
        try expect(
            """
            local chain = api:resource("text"):request("GET"):chained(function()
              rest.sleep(1)
              print("goes on")
              local late = api:resource("echo"):request("GET"):repeated()
              rest.after(1, function() print(late.state) end)
              return rest.pass_to(late)
            end)
            rest.after(0.5, function() chain:cancel() print(chain.is_cancelled) end)
            local failing = api:resource("text"):request("GET"):chained(function() rest.sleep(1) error("lost") end)
            rest.after(0.5, function() failing:cancel() end)
            """, seconds: 3,
            prints: [
                "true", "goes on", "error: the function of a cancelled chain: lost", "not_started",
            ])
    }

    @Test("9.8: the repeat of a chain asks the same function")
    func repeats() throws {
        try expect(
            """
            local n = 0
            local chain = api:resource("text"):request("GET"):chained(function(info)
              n = n + 1
              return rest.use_response(rest.entity { content = info.response.entity.text .. n })
            end)
            rest.spawn(function()
              print(chain:await().text)
              local again = chain:repeated()
              print(again.state, again:start():await().text, chain.response.entity.text)
            end)
            """, prints: ["hello1", "not_started\thello2\thello1"])
    }

    @Test("15.5 15.7: chains in decorators: what the caller gets is the chain")
    func decorators() throws {
        try expect(
            """
            api:configure("text", function(c)
              c:decorate_requests(function(resource, request)
                return api:resource("echo/login"):request("POST"):chained(function(info)
                  print("logged in", info.response.entity.text, request.state)
                  return rest.pass_to(request)
                end)
              end)
            end)
            local r = api:resource("text")
            local load = r:load()
            print(load == r.load_requests[1], load == r.all_requests[1], #r.all_requests, load.state)
            load:on_success(function(e) print(e.text, r.text, #r.all_requests, r.is_requesting) end)
            """,
            prints: [
                "true\ttrue\t1\tin_progress", "logged in\tPOST /echo/login\tnot_started",
                "hello\thello\t0\tfalse",
            ])
    }

    @Test("a script that is closed while a chain's function waits ends the chain")
    func closed() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            api:configure(function(c)
              c:decorate_requests(function(_, request)
                return request:chained(function() rest.sleep(1000) return rest.use_this_response end)
              end)
            end)
            """)
        let service = try #require(fixture.host?.service(named: "api"))
        let waiting = service.resource("text").load()
        fixture.settle()
        let unasked = service.resource("text").load()
        #expect(waiting.state == .inProgress)
        fixture.close()
        fixture.settle()
        #expect(waiting.info?.response.error?.code == "request_cancelled")
        #expect(unasked.info?.response.error?.description.contains("the script has been closed") == true)
        #expect(fixture.engine.openRequests == 0 && fixture.lines.isEmpty)
        service.flushUnusedResources()
    }

    @Test("a wrong call of chained raises")
    func wrongCalls() {
        #expect(
            loadError("api:resource('text'):load():chained()")
                == "1: bad argument #1 'fn' to 'chained' (function expected, got no value)")
        #expect(
            loadError("print(rest.use_this_respons)") == "1: unknown field 'use_this_respons' on rest: "
                + "did you mean 'use_this_response'?")
    }

    @Test("actions say what they are")
    func names() throws {
        try expect(
            "print(rest.use_this_response, rest.use_response(rest.error {}), rest.pass_to(rest.failed_request('x')))",
            prints: ["action use_this_response\taction use_response\taction pass_to"])
    }
}
