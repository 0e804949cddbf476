import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Calls of the host with large arguments. No hook runs inside them, so their work must be linear and
/// bounded.
@Suite(.leakChecked) @EngineActor
struct NativeCallTests {
    private nonisolated static let many = """
        local function many(n, f) local t = {} for i = 1, n do t[i] = f and f(i) or i end return t end \
        local function named(n, v) local t = {} for i = 1, n do t["n" .. i] = v or "v" end return t end \
        local r = api:resource("a") 
        """

    private nonisolated static let limits: [(call: String, message: String)] = [
        ("r:with_params(named(10001))", "the parameters of a URL are 10000 at most"),
        (
            "r:with_params(many(10001, function(i) return { 'n', i } end))",
            "the parameters of a URL are 10000 at most"
        ),
        ("r:with_params { a = many(10001) }", "the parameters of a URL are 10000 at most"),
        ("r:with_param('a', many(10001))", "the parameters of a URL are 10000 at most"),
        ("r:with_params { a = ('x'):rep(2 ^ 20 | 0), b = 1 }", "the parameters of a URL take 1 MiB at most"),
        ("r:request('GET', { query = named(10001) })", "the parameters of a URL are 10000 at most"),
        (
            "r:request('GET', { headers = named(1001) })",
            "these headers are more than 1000 fields, which is the limit"
        ),
        (
            "r:request('GET', { headers = { a = many(1001) } })",
            "these headers are more than 1000 fields, which is the limit"
        ),
        (
            "r:request('GET', { headers = named(100, ('x'):rep(20000)) })",
            "these headers take more than 1 MiB, which is the limit"
        ),
        (
            "rest.entity { content = 1, headers = named(1001) }",
            "these headers are more than 1000 fields, which is the limit"
        ),
        ("r:request('POST', { form = named(100001) })", "the fields of a form are 100000 at most"),
        (
            "r:request('POST', { form = named(9, ('x'):rep(8 << 20)) })",
            "the fields of a form take 4 MiB at most"
        ),
        (
            "r:request('POST', { multipart = many(10001, function(i) return { name = 'a', value = 'b' } end) })",
            "option 'multipart' has 10001 parts, and 10000 are the limit"
        ),
        (
            "local s = ('x'):rep(8 << 20) r:request('POST', { multipart = many(100, function(i) return { name = 'a', value = s } end) })",
            "the values of option 'multipart' take more than 64 MiB, which is the limit: give what is large as a file"
        ),
        ("rest.status(many(10001, function() return r end))", "a status is over 10000 resources at most"),
        (
            "rest.status { resources = many(10001, function() return r end) }",
            "a status is over 10000 resources at most"
        ),
    ]

    @Test(arguments: limits)
    func `the limit is named where it is passed`(call: String, message: String) {
        let error = loadError(call, prelude: ScriptFixture.prelude + Self.many)
        #expect(error?.hasPrefix("1: ") == true && error?.contains(message) == true, "\(error ?? "no error")")
    }

    @Test func `what is within the limits is taken`() throws {
        try expect(
            """
            local function marks(resource) return (select(2, resource.url:gsub("&", ""))) end
            print(marks(r:with_params(named(10000))))
            print(marks(r:with_params(many(5000, function(i) return { "n" .. i % 100, i } end))))
            rest.status(many(10000, function() return r end))
            """, prelude: ScriptFixture.prelude + Self.many, prints: ["9999", "4999"])
    }

    @Test(arguments: [
        (1000, "r:with_params(named(n))"),
        (500, "r:with_params(many(n, function(i) return { 'n' .. i, i } end))"),
        (2500, "r:with_params(many(n, function(i) return { 'n', i } end))"),
        (
            500,
            "local all = {} for i = 1, n do all[i] = api:resource('s' .. i) end rest.status(all) api:wipe_resources()"
        ),
        (200_000, "assert(#rest.url.decode(('%41b'):rep(n)) == 2 * n)"),
    ])
    func `four times as much takes about four times as long`(count: Int, call: String) throws {
        let ratio = try growth(from: count, by: 4) { count in
            let fixture = ScriptFixture()
            try fixture.load("local n = \(count) \(call)", prelude: ScriptFixture.prelude + Self.many)
            fixture.close()
        }
        #expect(ratio < 9, "\(ratio)")
    }

    /// The observers share the time of the function that notified them.
    @Test func `observers for which no time is left are one line`() throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.job] = .init(burst: 0.1)
        try fixture.load(
            """
            local told = 0
            for _ = 1, 5000 do
              r:add_observer(function(_, event)
                if event == "observer_added" then return end
                told = told + 1
                for _ = 1, 1e6 do end
              end)
            end
            rest.spawn(function() r:override_local_content("text") end)
            rest.after(1, function() print(told < 5000) end)
            """, prelude: ScriptFixture.prelude + Self.many)
        fixture.advance(2)
        fixture.close()
        let lines = fixture.lines
        let failed = lines.filter { $0.contains("an observer of https://api.test/v1/a") }
        #expect(failed.count == 1, "\(lines.count)")
        #expect(
            failed.first?.hasSuffix("has used up its CPU time, and its further effects are left out") == true
        )
        #expect(lines.last == "true")
    }
}
