import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Answers, errors and requests that a script keeps count towards its memory.
@Suite(.leakChecked) @EngineActor
struct KeptBytesTests {
    private static let mebibyte = 1 << 20
    private let fixture = ScriptFixture()

    /// A server with answers of 1 MiB, and a script with 16 MiB.
    init() throws {
        fixture.options.memoryLimit = 16 << 20
        // Collections at the limit take long on a busy machine, so times are not limited here.
        for phase in [ScriptLimits.Phase.mutator, .transformer, .hook, .job] {
            fixture.options.limits[phase] = .init(burst: 30)
        }
        let body = String(repeating: "x", count: Self.mebibyte)
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/big**", .text(200, body))
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/broken**", .text(500, body))
    }

    private func used() throws -> Int {
        let state = try #require(fixture.context).state
        for _ in 0..<8 { state.collectGarbage() }
        return state.memoryUsed
    }

    /// Each keeps about 1 MiB of the host's memory; `i` counts.
    private nonisolated static let ways = [
        "keep(api:resource('big' .. i):request('GET'):await())",
        "keep(api:resource('big'):load():await())",
        "keep(api:resource('big'):load():await().headers) keep(rest.entity { content = '', headers = { X = long } }.headers)",
        "local r = api:resource('big'):request('GET') r:await() keep(r.response)",
        "local r = api:resource('big'):request('GET') keep(r) r:await()",
        "keep(api:resource('big'):request('POST', { text = long .. i }))",
        "local _, err = api:resource('broken'):request('GET'):await() keep(err)",
        "keep(api:resource('broken'):load()):await()", "keep(rest.error { entity = entity })",
        "keep(rest.error { user_message = long })",
        "keep(rest.error { cause = { type = 'mine', text = long } })",
        "keep(rest.error { entity = rest.entity { content = '', headers = { X = long } } })",
        "keep(rest.failed_request(rest.error { entity = entity }))", "keep(rest.success(entity))",
        "keep(rest.failure(rest.error { entity = entity }))", "keep(rest.use_response(entity))",
        "keep(rest.custom_request { start = function(complete) complete(entity) end }:start()):await()",
        "keep(assert(rest.custom_request { start = function(complete) complete(rest.entity { content = long .. i }) end }:start():await()))",
        "keep(rest.pass_to(rest.custom_request { start = function(complete) complete(entity) end }:start())) rest.sleep(0)",
        "local c = rest.custom_request { start = function(complete) complete(entity) end } keep(api:resource('o'):load_using(c)):await()",
        "keep(api:resource('big'):request('GET'):chained(function() return rest.use_this_response end)):await()",
        "keep(api:resource('big'):request('GET'):chained(function() return rest.use_response(small) end)):await()",
        "keep(api:resource('big'):request('GET'):chained(function() return rest.pass_to(rest.failed_request('no')) end)):await()",
        "keep(api:resource('big'):request('GET'):repeated():start()):await()",
        "api:resource('big'):request('GET'):on_completion(keep):await()",
        "assert(api:resource('big'):request('GET', { mutate = function(draft) draft.headers.X = long keep(draft) end }):await())",
        "assert(api:resource('big'):request('GET', { mutate = function(draft) draft.body = long keep(draft.headers) end }):await())",
        "keep(api:define('POST', 'a', { text = long .. i }))",
        "keep(rest.bytes(long))", "keep(rest.raw(long))",
    ]

    @Test(arguments: ways)
    func `what is kept is an error at the limit, and what is let go of is given back`(way: String) throws {
        try fixture.load(
            """
            local kept, count = {}, 0
            local long = ("x"):rep(1000 * 1000)
            local entity, small = rest.entity { content = long }, rest.entity { content = "" }
            local function keep(value) count = count + 1 kept[#kept + 1] = value return value end
            local function one(i) \(way) end
            rest.after(1, function() one(0) kept = {} end)
            rest.after(10, function() rest.spawn(function() for i = 1, 60 do one(i) rest.sleep(0.001) end end) end)
            rest.after(20, function() print(count) end)
            rest.after(30, function() kept = {} end)
            """)
        fixture.advance(5)
        let before = try used()
        fixture.advance(20)
        #expect(fixture.lines.contains { $0.contains("not enough memory") }, "\(fixture.lines)")
        // Some count the same bytes twice, some keep two values, and the objects of the test itself count
        // too.
        #expect((4...40).contains(fixture.lines.last.flatMap { Int($0) } ?? 0), "\(fixture.lines)")
        fixture.advance(10)
        let after = try used()
        #expect(after - before < 128 << 10, "\(after - before)")
        fixture.close()
    }

    @Test(arguments: [
        "api:configure('p' .. i, { description = ('d'):rep(4000) }, function() end)",
        "api:configure(('p'):rep(4000) .. i, function() end)",
        "api:configure_transformer('p' .. i, { description = ('d'):rep(4000) }, function() end)",
        "rest.service { name = ('n'):rep(900) .. i, base_url = 'https://host/' .. ('b'):rep(3000) }",
        "keep = rest.regex(('p'):rep(1000) .. i) api:configure(keep, function() end)",
    ]) func `what is declared counts for as long as the script lives`(declaration: String) throws {
        fixture.options.memoryLimit = 4 << 20
        let failure = fixture.failure(of: "for i = 1, 5000 do local keep \(declaration) end")
        #expect(failure?.message.hasPrefix("not enough memory") == true, "\(failure?.message ?? "")")
        try fixture.load("for i = 1, 50 do local keep \(declaration) end")
        #expect(try used() > 150 << 10)
        fixture.close()
    }

    @Test func `an entity counts when its resource has lost it, and not when both have`() throws {
        try fixture.load(
            """
            local kept
            rest.after(1, function() kept = api:resource("big"):load():await() print(#kept.content) end)
            rest.after(5, function() kept = nil end)
            """)
        let before = try used()
        fixture.advance(2)
        #expect(fixture.take() == ["1048576"])
        let api = try #require(fixture.host?.services.first)
        api.cachedResourceBytesLimit = 1000
        _ = try used()
        api.flushUnusedResources()
        #expect(api.liveResourceCount == 0)
        #expect(try used() - before > Self.mebibyte)
        fixture.advance(5)
        #expect(try used() - before < 64 << 10)
        fixture.close()
    }

    @Test func `an error counts beside the stale data that stands in for it`() throws {
        try fixture.load(
            """
            api:configure(function(c) c.stale_if_error = 100 c.expiration_time = 1 end)
            local resource, kept = api:resource("turn")
            resource:override_local_content("old")
            rest.after(3, function()
              resource:load():on_failure(function(err) kept = err end):await()
              kept = kept or resource.latest_error
              print(kept.http_status_code, resource.text, #kept.text)
            end)
            rest.after(6, function() resource:load():await() print(resource.latest_error, resource.text, #kept.text) end)
            rest.after(9, function() kept = nil end)
            """)
        let body = String(repeating: "x", count: Self.mebibyte)
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/turn", .text(503, body))
        let before = try used()
        fixture.advance(4)
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/turn", .text(200, "new"))
        fixture.advance(4)
        #expect(fixture.take() == ["503\told\t1048576", "nil\tnew\t1048576"])
        #expect(try used() - before > Self.mebibyte)
        fixture.advance(4)
        #expect(try used() - before < 64 << 10)
        fixture.close()
    }

    @Test func `a hook that meets the limit fails, and the others go on`() throws {
        try fixture.load(
            """
            local kept = {}
            for i = 1, 40 do
              api:resource("big" .. i):request("GET"):on_completion(function(info) kept[i] = info end)
            end
            rest.after(1, function() kept = {} print("free") end)
            rest.after(2, function() print(#api:resource("big"):request("GET"):await().text) end)
            """)
        fixture.advance(3)
        #expect(fixture.lines.contains { $0.contains("not enough memory") })
        #expect(fixture.lines.suffix(2) == ["free", "1048576"])
        fixture.close()
    }

    @Test func `a script that was replaced gives all of it back`() throws {
        let script = """
            api:configure("**", { description = ("d"):rep(4000) }, function() end)
            local kept = { rest.entity { content = ("x"):rep(1 << 20) } }
            kept[2] = rest.error { entity = kept[1] }
            kept[3] = rest.custom_request { start = function() end }
            kept[4] = api:resource("echo/a"):request("GET")
            """
        // Each script is closed, and the fixture reports any byte that is still counted.
        let scripts = try ReloadFixture(script)
        for _ in 1...3 { scripts.reload(script) }
        #expect(scripts.host.context.state.memoryUsed < 8 << 20)
        scripts.close()
    }
}
