import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Errors through each kind of callback. After closing, no host object may be left in Lua, and the trait
/// checks for Swift objects.
@Suite(.leakChecked) @EngineActor
struct ErrorLeakTests {
    /// Each runs one round. `fail` raises, in a different way each time.
    private nonisolated static let callbacks = [
        "local s = round() s:configure(function(c) fail() end) s:resource('text'):load()",
        "local s = round() s:configure(function(url) fail() end, function(c) end) s:resource('text'):load()",
        "local s = round() s:configure(function(c) c:mutate_requests(fail) end) s:resource('text'):load()",
        "local s = round() s:configure(function(c) c:decorate_requests(fail) end) s:resource('text'):load()",
        "local s = round() s:configure_transformer('**', fail) s:resource('text'):load()",
        "local s = round() s:configure_transformer('**', { transform_errors = true }, fail) s:resource('missing'):load()",
        "local s = round() s:configure(function(c) c.pipeline.model:add(rest.response_transformer(fail)) end) s:resource('text'):load()",
        "api:resource('echo'):request('GET', { mutate = fail })",
        "api:resource('text'):request('GET'):on_completion(fail):on_success(fail):on_new_data(fail):on_progress(fail)",
        "api:resource('missing'):request('GET'):on_failure(fail):on_completion(fail)",
        "local r = api:resource('json') r:override_local_data(rest.entity { content = 1, headers = { ETag = '\"known\"' } }) r:load():on_not_modified(fail)",
        "rest.spawn(fail)", "rest.spawn(function() rest.sleep(0.1) fail() end)", "rest.after(0.1, fail)",
        "local t t = rest.every(0.1, function() t:cancel() fail() end)", "pcall(api.use, api, fail)",
        "rest.spawn(rest.gather, { 1, 2, 3 }, 2, fail)",
        "rest.spawn(rest.all, { fail, fail, api:resource('missing'):load() })",
        "pcall(tostring, setmetatable({}, { __tostring = fail })) pcall(rest.log.info, setmetatable({}, { __tostring = fail }))",
        "local c = coroutine.wrap(function() fail() end) pcall(c)",
        "rest.spawn(function() local c = coroutine.wrap(function() rest.sleep(0) fail() end) c() end)",
        "local job = rest.spawn(function() rest.sleep(0.1) fail() end) rest.spawn(function() job:await() fail() end)",
        "api:resource('a'):override_local_content('x') pcall(api.wipe_resources, api, fail)",
        "api:resource('text'):load():repeated():on_completion(fail)",
        "pcall(require, 'nowhere') pcall(rest.service, { nme = 1 })",
    ]

    /// Finalizers of one collection release objects that the next one finds, and each collection halves
    /// tables that are much too large.
    private func memory(of context: ScriptContext) -> Int {
        for _ in 0..<16 { context.state.collectGarbage() }
        return context.state.memoryUsed
    }

    @Test(arguments: WholeRun.part(callbacks, oneIn: 5))
    func `thousands of errors leave nothing behind`(callback: String) throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            local n = 0
            function round() return rest.service { name = "s" .. n, base_url = "https://api.test/v1" } end
            local ways = {
              function() error("words") end, function() error({ code = n }) end, function() local x = nil + 1 end,
              function() error(rest.error { user_message = "Mine", entity = rest.entity { content = { n } } }) end,
              function() api:resource(5) end, function() error(setmetatable({}, { __tostring = function() return "odd" end })) end,
              function() error(nil) end, function() error(api:resource("text")) end,
            }
            function fail() ways[n % #ways + 1]() end
            function one() n = n + 1 \(callback) end
            rest.every(1, function() for i = 1, 50 do one() end end)
            """)
        fixture.advance(20, step: 0.5)
        let context = try #require(fixture.context)
        for service in fixture.host?.services ?? [] { LeakList.current?.watch(service) }
        var used = [memory(of: context)]
        for _ in 0..<4 {
            fixture.advance(5, step: 0.5)
            used.append(memory(of: context))
        }
        // Services stay until the script ends. All other objects go. A table may grow to twice its size,
        // because the collector came later, but not each time.
        let growth = zip(used.dropFirst(), used).map { $0 - $1 }
        #expect(callback.contains("round()") || growth.min() ?? 0 < 4 << 10, "\(used)")
        #expect(callback.contains("round()") || used[4] - used[0] < 160 << 10, "\(used)")
        fixture.close()
    }
}
