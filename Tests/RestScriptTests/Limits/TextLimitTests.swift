import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Texts of scripts are checked before work on them begins: limits L240–L245.
@Suite(.leakChecked) @EngineActor
struct TextLimitTests {
    private nonisolated static let places: [(call: String, most: Int, what: String)] = [
        ("api:resource(TEXT)", 64 << 10, "a path takes 64 KiB"),
        ("api:resource_at('http://host/', TEXT)", 64 << 10, "a path takes 64 KiB"),
        ("api:resource('a'):child(TEXT)", 64 << 10, "a path takes 64 KiB"),
        ("api:endpoint(TEXT)", 64 << 10, "a path takes 64 KiB"),
        ("api:define('GET', TEXT)", 64 << 10, "a path takes 64 KiB"),
        ("api:resource_at(TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("api:resource('a'):relative(TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("api:resource('a'):optional_relative(TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("rest.request('GET', TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("rest.raw(TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("rest.url.parse(TEXT)", 2 << 20, "a URL takes 2 MiB"),
        ("rest.service { name = 'n', base_url = TEXT }", 2 << 20, "a URL takes 2 MiB"),
        ("api:resource('a'):with_param('p', TEXT)", 1 << 20, "the parameters of a URL take 1 MiB"),
        ("api:resource('a'):with_param('p', { 'a', TEXT })", 1 << 20, "the parameters of a URL take 1 MiB"),
        ("api:resource('a'):with_param(TEXT, 'v')", 1 << 20, "the parameters of a URL take 1 MiB"),
        ("api:resource('a'):with_params { p = TEXT }", 1 << 20, "the parameters of a URL take 1 MiB"),
        (
            "local v = {} for i = 1, 17 do v[i] = i end api:resource('a'):with_param(TEXT, v)", 1 << 16,
            "the parameters of a URL take 1 MiB"
        ),
        ("api:configure(TEXT, function() end)", 8 << 10, "a pattern takes 8 KiB"),
        ("api:configure_transformer(TEXT, function() end)", 8 << 10, "a pattern takes 8 KiB"),
        ("api:wipe_resources(TEXT)", 8 << 10, "a pattern takes 8 KiB"),
        ("rest.regex(TEXT)", 8 << 10, "a pattern takes 8 KiB"),
        ("api:configure({ description = TEXT }, function() end)", 4 << 10, "a description takes 4 KiB"),
        (
            "api:configure_transformer('a', { description = TEXT }, function() end)", 4 << 10,
            "a description takes 4 KiB"
        ),
        (
            "rest.content_transformer { transform = function() end, description = TEXT }", 4 << 10,
            "a description takes 4 KiB"
        ),
        ("rest.response_transformer(function() end, TEXT)", 4 << 10, "a description takes 4 KiB"),
        ("rest.service { name = TEXT }", 1 << 10, "a name takes 1 KiB"),
        ("api:configure_transformer('a', { stage = TEXT }, function() end)", 1 << 10, "a name takes 1 KiB"),
    ]

    @Test(arguments: places)
    func `a text that is too long is refused where it comes in`(
        place: (call: String, most: Int, what: String)
    ) throws {
        let fixture = ScriptFixture()
        let call = place.call.replacing("TEXT", with: "('x'):rep(\(place.most + 1))")
        let failure = fixture.failure(of: call)
        #expect(
            failure?.message.contains("\(place.what) at most") == true, "\(failure?.message ?? "nothing")")
    }

    @Test(arguments: [
        "api:resource(('x'):rep(64 << 10))",
        "api:configure({ description = ('x'):rep(4 << 10) }, function() end)",
        "api:configure(('x'):rep(8 << 10), function() end)", "rest.service { name = ('x'):rep(1 << 10) }",
    ]) func `as long as the limit is fine`(call: String) throws {
        let fixture = ScriptFixture()
        #expect(fixture.failure(of: call) == nil)
    }

    @Test(arguments: [
        "api:define('GET', 'a', { headers = { A = LIST } })",
        "api:define('GET', 'a'):setting_header('A', LIST)",
        "api:define('GET', 'a', { headers = { A = TEXT } })", "rest.response { headers = { A = LIST } }",
    ]) func `the values of one header have a length together`(call: String) throws {
        let fixture = ScriptFixture()
        let values =
            "local LIST, TEXT = {}, ('x'):rep((1 << 20) + 1) for i = 1, 33 do LIST[i] = ('x'):rep(1 << 15) end "
        let failure = fixture.failure(of: values + call)
        #expect(
            failure?.message.contains("these headers take more than 1 MiB, which is the limit") == true,
            "\(failure?.message ?? "nothing")")
    }

    @Test func `a URL of many short pieces is refused when it gets too long`() throws {
        try expect(
            """
            local function grow(step)
              local r = api:resource("a")
              for i = 1, 100 do
                local ok, next = pcall(step, r, i)
                if not ok then return print(i, next) end
                r = next
              end
            end
            local long = ("x"):rep(64 << 10)
            grow(function(r) return r:child(long) end)
            grow(function(r, i) return r:with_param("p" .. i, long .. long) end)
            """,
            prints: [
                "32\ttest.lua:10: a URL takes 2 MiB at most, and this one 2097205 bytes",
                "16\ttest.lua:11: a URL takes 2 MiB at most, and this one 2097244 bytes",
            ])
    }

    @Test func `a redirect to a very long place is not followed`() throws {
        func outcome(_ length: Int) throws -> [String] {
            let fixture = ScriptFixture()
            let place = "/v1/" + String(repeating: "x", count: length - 4)
            try fixture.transport.stub(
                method: nil, urlGlob: "https://api.test/v1/from",
                .response(302, headers: Headers([("Location", place)])))
            try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/x**", .text(200, "there"))
            try fixture.load(
                """
                rest.spawn(function()
                  local entity, err = api:resource("from"):request("GET"):await()
                  print(entity and entity.text or tostring(err))
                end)
                """)
            fixture.close()
            return fixture.lines
        }
        #expect(try outcome(64 << 10) == ["there"])
        let refused = try outcome((64 << 10) + 1)
        #expect(refused.count == 1 && refused[0].contains("64 KiB at most"), "\(refused)")
    }

    @Test func `the error about an unknown option names each that there is once`() {
        for call in ["rest.service { zzzzz = 1 }", "rest.gateway { zzzzz = 1 }"] {
            let error = loadError(call) ?? ""
            let names = error.split(separator: " knows ").last?.split(separator: ", ") ?? []
            #expect(names.count > 3 && Set(names).count == names.count, "\(error)")
        }
    }
}
