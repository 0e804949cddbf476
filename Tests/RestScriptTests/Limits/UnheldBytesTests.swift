import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Memory that the host keeps for a script counts towards its memory, even when no value of Lua holds it.
@Suite(.leakChecked) @EngineActor
struct UnheldBytesTests {
    private let fixture = ScriptFixture()
    private let held: StubTransport.Stub

    /// A script with 2 MiB, and a server with a path that doesn't answer.
    init() throws {
        fixture.options.memoryLimit = 2 << 20
        // Collections at the limit take long on a busy machine, so times are not limited here.
        for phase in [ScriptLimits.Phase.block, .hook, .job] {
            fixture.options.limits[phase] = .init(burst: 30)
        }
        held = try fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/held", isHeld: true, .text(200, "late"))
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/b/*", .text(200, "ok"))
    }

    private func used() throws -> Int {
        let state = try #require(fixture.context).state
        for _ in 0..<8 { state.collectGarbage() }
        return state.memoryUsed
    }

    /// Each makes something that lasts as long as the request, whose answer doesn't come. `i` counts.
    private nonisolated static let running = [
        "request:on_completion(f)", "request:on_progress(f)", "request:chained(f)", "status:track(request)",
        "api:resource('held'):request('GET')", "api:resource('held'):request('POST', { text = long })",
        "api:resource('held'):load():chained(f)", "rest.custom_request { start = f, timeout = 50 }:start()",
    ]

    /// The number before the message of the memory limit in the only line of the log.
    private func countAtLimit(at location: SourceLocation = #_sourceLocation) throws -> Int {
        let words = try #require(fixture.lines.last, sourceLocation: location).split(separator: "\t")
        #expect(words.last == "not enough memory", "\(fixture.lines)", sourceLocation: location)
        return try #require(words.first.flatMap { Int($0) }, "\(fixture.lines)", sourceLocation: location)
    }

    @Test(arguments: running)
    func `what runs counts until its end, although the script has released it`(way: String) throws {
        try fixture.load(
            """
            local long = ("x"):rep(10000)
            local request = api:resource("held"):request("GET")
            local status = rest.status { api:resource("s") }
            local function f() return rest.use_this_response end
            rest.after(1, function()
              local count = 0
              local _, err = pcall(function()
                for i = 1, 50000 do \(way) count = i if i % 50 == 0 then rest.sleep(0) end end
              end)
              print(count, err)
            end)
            """)
        let before = try used()
        fixture.advance(10)
        // A hook takes 256 bytes, and a request with its transfer some 11 KiB.
        let count = try countAtLimit()
        #expect((20...20_000).contains(count), "\(fixture.lines)")
        held.go()
        fixture.advance(60)
        // The list of what the host refers to keeps its length.
        let after = try used()
        #expect(after - before < 512 << 10, "\(after - before)")
        fixture.close()
    }

    /// Each keeps a value that is small in Lua. `i` counts.
    private nonisolated static let kept: [(way: String, most: Int)] = [
        ("rest.auth.basic('u', long .. i)", 250), ("rest.auth.digest('u', long .. i)", 250),
        ("rest.refresh_on(401, f)", 2500), ("rest.regex('(?:a(b)c){999}' .. i)", 250),
    ]

    @Test(arguments: kept)
    func `what a value of Lua refers to in the host counts`(way: String, most: Int) throws {
        try fixture.load(
            """
            local long, kept, count = ("x"):rep(8000), {}, 0
            local function f() end
            rest.after(1, function()
              local _, err = pcall(function() for i = 1, 100000 do kept[i] = \(way) count = i end end)
              kept = nil
              print(count, err)
            end)
            """)
        let before = try used()
        fixture.advance(2)
        let count = try countAtLimit()
        #expect((20...most).contains(count), "\(fixture.lines)")
        let after = try used()
        #expect(after - before < 128 << 10, "\(after - before)")
        fixture.close()
    }

    @Test(arguments: [
        "rest.cache.memory { max_bytes = 1000 + n }", "rest.refresh_on(401, f)",
        "rest.auth.digest('user' .. n, 'password')",
    ]) func `what a block makes for good counts for good`(making: String) throws {
        try fixture.load(
            """
            local n = 0
            local function f() return true end
            for block = 1, 200 do
              api:configure("b/" .. block, function() for _ = 1, 100 do n = n + 1 \(making) end end)
            end
            rest.spawn(function()
              for i = 1, 200 do
                local _, err = api:resource("b/" .. i):get()
                if err then return print(err.cause.message) end
              end
              print("no limit")
            end)
            """)
        fixture.advance(1)
        // The job may meet the limit as well.
        let lines = fixture.lines
        #expect(!lines.contains("no limit"), "\(lines)")
        #expect(lines.contains { $0.contains("not enough memory") }, "\(lines)")
        fixture.close()
    }

    @Test func `observers count, wherever they are`() throws {
        try fixture.load(
            """
            local function f() end
            rest.after(1, function()
              local count, r = 0, nil
              local _, err = pcall(function()
                for i = 1, 100000 do
                  if i % 5000 == 1 then r = api:resource("o" .. i) end
                  r:add_observer(f)
                  count = i
                end
              end)
              print(count, err)
            end)
            """)
        fixture.advance(2)
        let count = try countAtLimit()
        #expect((1000...20_000).contains(count), "\(fixture.lines)")
        fixture.close()
    }

    @Test func `limit L311: a user and a password have a length`() {
        for name in ["basic", "digest"] {
            for arguments in ["long, 'p'", "'u', long"] {
                let error = loadError("local long = ('x'):rep(8193) rest.auth.\(name)(\(arguments))") ?? ""
                #expect(error.contains("a user or a password takes 8 KiB at most"), "\(error)")
            }
        }
    }

    @Test func `limit L312: a configuration has a size`() throws {
        for body in [
            "for i = 1, 30 do c.headers['X-' .. i] = ('x'):rep(10000) end",
            "c.redirects.keep_headers = { ('x'):rep(300000) }", "c.accept = ('x'):rep(300000)",
            "for i = 1, 3000 do c:mutate_requests(print) end",
            "for i = 1, 3000 do c.pipeline.model:add(rest.transformers.json()) end",
            "local order = {} for i = 1, 20000 do order[i] = 's' .. i end c.pipeline.order = order",
        ] {
            let fixture = ScriptFixture()
            fixture.options.limits[.block] = .init(burst: 30)
            fixture.options.limits[.job] = .init(burst: 30)
            try fixture.load(
                """
                api:configure(function(c) \(body) end)
                rest.spawn(function()
                  local _, err = api:resource("a"):get()
                  print(err.cause.message)
                end)
                """)
            let message = "a configuration takes 256 KiB of headers, names and functions at most"
            #expect(fixture.lines.last?.contains(message) == true, "\(body): \(fixture.lines)")
            fixture.close()
        }
    }
}
