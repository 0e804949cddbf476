import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct WaitingTests {
    private nonisolated static let waits = [
        "rest.sleep(1)", "api:resource('text'):get()", "api:resource('text'):load():await()", "rest.all {}",
    ]

    private nonisolated static let block =
        "a configuration block runs while a request is built; wait in a hook or in rest.spawn instead"

    @Test(arguments: waits)
    func `a block may not wait`(wait: String) throws {
        try expect(
            "api:configure('echo', function(c) print(pcall(function() \(wait) end)) end) local c = api:resource('echo').configuration",
            prints: ["false\ttest.lua:1: cannot wait here: " + Self.block])
    }

    @Test func `any number of jobs may wait for each other's ends`() throws {
        try expect(
            """
            local last = rest.spawn(function() rest.sleep(1) return 0 end)
            for _ = 1, 30000 do
              local one = last
              last = rest.spawn(function() return one:await() + 1 end)
            end
            rest.spawn(function() print(last:await()) end)
            """, seconds: 2, prints: ["30000"])
    }

    @Test func `a job may return more than its waiter has room for`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.job] = .init(burst: 60)
        try fixture.load(
            """
            local list = {}
            for i = 1, 600000 do list[i] = i end
            local job = rest.spawn(function() return table.unpack(list) end)
            rest.spawn(function()
              print(select("#", job:await()))
              local full = {}
              for i = 1, 500000 do full[i] = i end
              local function await(...)
                local first, err = job:await()
                return first, tostring(err)
              end
              print(await(table.unpack(full)))
            end)
            """)
        fixture.close()
        #expect(fixture.lines == ["600000", "nil\tScript error: too many results to await"])
    }

    @Test(arguments: waits)
    func `nor a script while it is loaded`(wait: String) {
        #expect(
            loadError(wait)
                == "1: cannot wait here: the script is being loaded; put it into rest.spawn(function() … end)"
        )
    }

    @Test(arguments: [
        (
            "api:configure(function(url) rest.sleep(1) end, print)",
            "a pattern function runs while a request is built; decide by the URL alone"
        ),
        (
            "api:configure(function(c) c:mutate_requests(function() rest.sleep(1) end) end)",
            "a request is put together in one go; fetch what it needs before, in a hook or a job"
        ),
        (
            "api:configure(function(c) c:decorate_requests(function() rest.sleep(1) end) end)",
            "a decorator returns a request at once; wait in a hook of that request"
        ),
        (
            "api:configure_transformer('**', function() rest.sleep(1) end)",
            "a transformer runs in the middle of a response; fetch what it needs before, in a hook or a job"
        ),
        (
            "api:configure(function(c) c.pipeline.model:add(rest.response_transformer(function() rest.sleep(1) end)) end)",
            "a transformer runs in the middle of a response; fetch what it needs before, in a hook or a job"
        ),
        ("api:configure(function(c) rest.sleep(1) end)", block),
    ])
    func `nor a predicate, mutator, decorator or transformer`(source: String, advice: String) throws {
        try expect(
            """
            \(source)
            rest.spawn(function()
              local _, err = api:resource("text"):get()
              print(err.cause.type, err.cause.line, err.cause.message)
            end)
            """, prints: ["script_error\t1\tcannot wait here: \(advice)"])
    }

    @Test func `nor the predicate of a refresh`() throws {
        try expect(
            """
            api:configure(function(c) c:decorate_requests(rest.refresh_on(function() rest.sleep(1) end, print)) end)
            rest.spawn(function()
              local _, err = api:resource("missing"):get()
              print(err.cause.type, err.cause.line, err.cause.message)
            end)
            """,
            prints: [
                "script_error\t1\tcannot wait here: a predicate of rest.refresh_on decides by the error alone; "
                    + "its second function may wait"
            ])
    }

    @Test func `hooks, jobs and timers may`() throws {
        try expect(
            """
            api:resource("text"):load():on_success(function(e) rest.sleep(1) print("hook", e.text, rest.now()) end)
            rest.after(1, function() print("timer", api:resource("json"):get().id) end)
            rest.spawn(function(a, b)
              local entity, err = api:resource("missing"):request("GET"):await()
              print("job", a, b, entity, err.http_status_code)
            end, 1, "two")
            """, seconds: 2, prints: ["job\t1\ttwo\tnil\t404", "hook\thello\t1000001.0", "timer\t7"])
    }

    @Test(
        "jobs that would wait for each other for ever fail, and name each other",
        arguments: [
            (
                """
                local a, b
                a = rest.spawn(function() rest.sleep(0.1) print(tostring(select(2, pcall(b.await, b))):match("[jt][oh][be]s? .*")) end)
                b = rest.spawn(function() a:await() print("on") end)
                """, "the job at test.lua:2 awaits the job at test.lua:3 awaits the job at test.lua:2"
            ),
            (
                """
                local a, b
                a = rest.spawn(function()
                  b = rest.spawn(function() a:await() print("on") end)
                  print(tostring(select(2, pcall(b.await, b))):match("[jt][oh][be]s? .*"))
                end)
                """, "the job at test.lua:2 awaits the job at test.lua:3 awaits the job at test.lua:2"
            ),
            (
                """
                local a
                a = rest.spawn(function()
                  rest.sleep(0.1)
                  rest.all { function() print(tostring(select(2, pcall(a.await, a))):match("[jt][oh][be]s? .*")) end }
                  print("on")
                end)
                """, "the job at test.lua:4 awaits the job at test.lua:2 awaits the job at test.lua:4"
            ),
        ])
    func cycles(script: String, names: String) throws {
        try expect(
            script, seconds: 1,
            prints: ["jobs await each other, so none would end: \(names)", "on"])
    }

    @Test("a job that awaits itself fails")
    func awaitingItself() throws {
        try expect(
            """
            local a
            a = rest.spawn(function() rest.sleep(0.1) print(tostring(select(2, pcall(a.await, a))):match("[jt][oh][be]s? .*")) end)
            """, seconds: 1, prints: ["the job at test.lua:2 awaits itself"])
    }
}
