import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct AttemptBindingTests {
    @Test func `what is off reads false, and what is on has its values`() throws {
        try expect(
            """
            local c = api:resource("a").configuration
            print(c.retry, c.limits, c.breaker, c.priority, c.stale_if_error, c.stale_while_revalidate)
            api:configure(function(c)
              c.retry = true
              c.retry.cap = 5
              c.retry = { attempts = 4, statuses = { 503, 500 } }
              c.limits = { in_flight = 2, rate = { requests = 10 } }
              c.breaker = { open = 1 }
              c.priority = -3
              c.stale_if_error = 60
              c.stale_while_revalidate = 5
            end)
            c = api:resource("a").configuration
            print(c.retry.attempts, c.retry.base, c.retry.cap, table.concat(c.retry.statuses, " "), c.retry.when)
            print(c.limits.in_flight, c.limits.queue, c.limits.queue_timeout, c.limits.scope)
            print(c.limits.rate.requests, c.limits.rate.per, c.limits.rate.burst)
            print(c.breaker.ratio, c.breaker.requests, c.breaker.open, c.priority, c.stale_if_error)
            print(c.retry)
            print(pcall(function() c.retry.cap = 1 end))
            api:configure(function(c) c.retry = false c.limits = nil c.breaker = false end)
            c = api:resource("a").configuration
            print(c.retry, c.limits, c.breaker)
            """,
            prints: [
                "false\tfalse\tfalse\t0\t0.0\t0.0", "4\t0.2\t5.0\t500 503\tfalse", "2\tnil\t10.0\thost",
                "10\t1.0\t10", "0.5\t20\t1.0\t-3\t60.0",
                "{ attempts = 4, base = 0.2, cap = 5, budget = 0.2, statuses = { 500, 503 } }",
                "false\ttest.lua:19: this configuration is frozen: change it in a block, and call invalidate_configuration() to run the blocks again",
                "false\tfalse\tfalse",
            ])
    }

    private nonisolated static let mistakes = [
        ("c.retry = 5", 2, "bad value for 'retry' of configuration (table or boolean expected, got number)"),
        ("c.retry = { attempt = 3 }", 2, "unknown field 'attempt' on retry: did you mean 'attempts'?"),
        (
            "c.retry = { attempts = '3x' }", 2,
            "bad value for 'attempts' of retry (integer expected, got string)"
        ),
        ("c.retry = { attempts = 2.5 }", 2, "retry.attempts is a whole number, got 2.5"),
        ("c.retry = { base = -1 }", 2, "retry.base is 0 or more, got -1.0"),
        (
            "c.retry = { statuses = 503 }", 2,
            "bad value for 'statuses' of retry (list of statuses expected, got number)"
        ),
        ("c.retry = { statuses = { 'x' } }", 2, "retry.statuses is a list of statuses, and has a string"),
        ("c.retry = { when = 5 }", 2, "bad value for 'when' of retry (function expected, got number)"),
        ("c.retry = { 5 }", 2, "the fields of 'retry' have names"),
        ("c.limits = true", 2, "limits says in_flight or rate: c.limits = { in_flight = 4 }"),
        ("c.limits = { rate = {} }", 2, "limits.rate says how many: { requests = 10, per = 1 }"),
        ("c.limits = { rate = { requests = 1, every = 1 } }", 2, "unknown field 'every' on limits.rate"),
        (
            "c.limits = { in_flight = 1, scope = 5 }", 2,
            "bad value for 'scope' of limits (string expected, got number)"
        ),
        ("c.breaker = { ratio = 'x' }", 2, "bad value for 'ratio' of breaker (number expected, got string)"),
        ("c.priority = 'x'", 2, "bad value for 'priority' of configuration (integer expected, got string)"),
        // This is only known after the block has run.
        (
            "c.retry = { base = 1 }\nc.timeouts.total = 1", 2,
            "retry has no effect: timeouts.total (1.0 s) is not longer than the first wait (base = 1.0 s)"
        ),
        (
            "local x\nc.limits = { queue = 5 }", 3,
            "limits.queue needs in_flight or rate: nothing else makes requests wait"
        ),
        ("c.retry = true\nc.retry.cap = 0.1", 3, "retry.cap (0.1) is less than .base (0.2), the first wait"),
        ("c.breaker = { ratio = 2 }", 2, "breaker.ratio is more than 0 and at most 1, got 2.0"),
    ]

    @Test("40.3: a mistake fails the request, with its line", arguments: mistakes)
    func mistakes(source: String, line: Int, message: String) throws {
        try expect(
            """
            api:configure(function(c)
            \(source)
            end)
            rest.spawn(function()
              local data, err = api:resource("json"):get()
              print(err.cause.file, err.cause.line, err.cause.message)
            end)
            """, prints: ["test.lua\t\(line)\t\(message)"])
    }

    @Test func `41.1: a script sees attempts, and one outcome`() throws {
        let fixture = ScriptFixture()
        fixture.engine.random = { 1 }
        var replies: [StubReply] = [.text(503, "busy"), .text(200, "ok")]
        try fixture.transport.stub(method: nil, urlGlob: "https://**") { _ in replies.removeFirst() }
        try fixture.load(
            """
            api:configure(function(c) c.retry = true end)
            local request = api:resource("a"):load()
            request:on_completion(function(info)
              for _, a in ipairs(info.response.attempts) do
                print(a.number, a.method, a.url, a.status, a.reason, a.waited, a.queued, a.reused, a.timings.total)
              end
            end)
            request:on_success(function(entity) print(entity.text, #request.response.attempts) end)
            """)
        fixture.advance(1)
        fixture.close()
        #expect(
            fixture.lines == [
                "1\tGET\thttps://api.test/v1/a\t503\tnil\t0.0\t0.0\tfalse\t0.0",
                "2\tGET\thttps://api.test/v1/a\t200\t503\t0.2\t0.0\tfalse\t0.0", "ok\t2",
            ])
    }

    @Test func `41.7: retry.when decides, and its mistakes have their line`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://**", .text(404, "no"))
        try fixture.load(
            """
            local answers = { true, 3, false }
            api:configure("a", function(c)
              c.retry = { attempts = 9, when = function(err, attempt)
                print(rest.now(), attempt, err.http_status_code, err.attempt)
                return answers[attempt]
              end }
            end)
            api:configure("b", function(c) c.retry = { when = function() return "soon" end } end)
            api:configure("c", function(c) c.retry = { when = function() rest.sleep(1) end } end)
            rest.spawn(function()
              local _, err = api:resource("a"):get()
              print(err.attempt, #err.attempts)
              _, err = api:resource("b"):get()
              print(err.cause.file, err.cause.line, err.cause.message)
              _, err = api:resource("c"):get()
              print(err.cause.line, (err.cause.message:match("retry.when decides by the error alone")))
            end)
            """)
        fixture.engine.random = { 0 }
        fixture.advance(10)
        fixture.close()
        let lines = fixture.lines
        #expect(lines.count == 6, "\(lines)")
        #expect(
            lines.prefix(3).map { $0.split(separator: "\t").dropFirst().joined(separator: " ") } == [
                "1 404 1", "2 404 2", "3 404 3",
            ])
        #expect(
            lines.dropFirst(3) == [
                "3\t3",
                "test.lua\t8\tretry.when returned a string where it must return true, false, nil or seconds",
                "9\tretry.when decides by the error alone",
            ])
    }

    @Test func `42 and 43: causes of limits and breakers say when to come again`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://**/ok", .response(204))
        try fixture.transport.stub(method: nil, urlGlob: "https://**/bad", .response(500))
        try fixture.load(
            """
            api:configure("ok", function(c) c.limits = { rate = { requests = 1, per = 60 } } end)
            api:configure("bad", function(c) c.breaker = { requests = 2 } end)
            rest.spawn(function()
              local function show(path)
                local _, err = api:resource(path):request("GET"):await()
                print(err and err.cause and err.cause.type, err and err.cause and err.cause.retry_at, err and #err.attempts)
              end
              for i = 1, 2 do show("ok") end
              for i = 1, 3 do show("bad") end
            end)
            """)
        fixture.close()
        #expect(
            fixture.lines == [
                "nil\tnil\tnil", "rate_limited\t1000060.0\t0", "nil\tnil\t1", "nil\tnil\t1",
                "circuit_open\t1000005.0\t0",
            ])
    }

    @Test func `44.5: only_if_cached sends nothing`() throws {
        try expect(
            """
            rest.spawn(function()
              local content, err = api:resource("text"):get { only_if_cached = true }
              print(content, err.cause.type, err.user_message)
              api:resource("text"):override_local_content("mine")
              api:resource("text"):invalidate()
              print(api:resource("text"):get { only_if_cached = true })
              print(pcall(function() api:resource("text"):get { only_cached = true } end))
            end)
            """,
            prints: [
                "nil\toffline\tthere is no data here, and the host is offline", "mine",
                "false\ttest.lua:7: unknown option 'only_cached': did you mean 'only_if_cached'?",
            ])
    }

    @Test func `a test of a script moves the clock itself`() async throws {
        let failure = try await testFailure(
            """
            local host = t.load { source = [[
              local rest = require "resthost"
              local api = rest.service { name = "api", base_url = "https://api.test" }
              api:configure(function(c) c.retry = true end)
            ]] }
            local stub = host:stub("GET", "https://api.test/a", { status = 503 })
            local request = host.services.api:resource("/a"):load()
            host:settle()
            t.equal(#stub.requests, 1)
            host:advance(0.2)
            t.equal(#stub.requests, 2)
            host:advance(0.4)
            t.equal(#request.response.attempts, 3)
            t.equal(request.response.error.attempt, 3)
            """)
        #expect(failure == nil, "\(failure ?? "")")
    }
}
