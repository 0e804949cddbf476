import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// JSON that is small as text and large as a value.
@Suite(.leakChecked) @EngineActor
struct DecodingLimitTests {
    /// Each piece is three bytes, nine in a tree and some 70 in Lua.
    private static let dense = "[" + String(repeating: "[],", count: 400_000) + "0]"

    /// The output of a script that gets a dense body from `https://api.test/v1/dense`.
    private func output(
        _ source: String, memory: Int = 16 << 20, body: String = dense,
        then: (ScriptFixture) -> Void = { _ in }
    ) throws -> [String] {
        let fixture = ScriptFixture()
        fixture.options.memoryLimit = memory
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/dense", .json(200, body))
        try fixture.load(source)
        fixture.settle()
        then(fixture)
        fixture.close()
        return fixture.lines
    }

    private static let show = """
        local function show(err) print(err.cause.type, err.cause.budget, err.cause.limit, err.cause.message) end 
        """

    @Test func `a transformer gets no value that is larger than the script's memory`() throws {
        let lines = try output(
            """
            \(Self.show)
            api:configure_transformer("dense", function(c) print("called") return #c end)
            rest.spawn(function()
              local content, err = api:resource("dense"):get()
              show(err)
              print(pcall(function() local t = {} for i = 1, 1000 do t[i] = {} end return #t end))
            end)
            """
        ) { fixture in
            fixture.context?.state.collectGarbage()
            #expect(fixture.context?.state.memoryUsed ?? .max < 1 << 20)
        }
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("script_limit\tmemory\t16777216.0\tnot enough memory: the script holds "))
        #expect(
            lines[0].hasSuffix("may hold 16 MiB: keep less at a time, or allow more with --memory 32M"))
        #expect(lines[1] == "true\t1000")
    }

    @Test func `what no function looks at is published as it came`() throws {
        let lines = try output(
            """
            rest.spawn(function()
              local entity = api:resource("dense"):load():await()
              print(entity.content_kind)
              print(pcall(function() return entity.content end))
              print(pcall(function() return entity.json end))
            end)
            """)
        #expect(lines[0] == "json")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("false\t") && $0.contains("not enough memory") })
        #expect(lines.count == 3)
    }

    @Test func `rest.json.decode stays within the script's memory`() throws {
        let lines = try output(
            """
            local text = "[" .. ("[],"):rep(400000) .. "0]"
            print(pcall(rest.json.decode, text))
            print(pcall(rest.json.decode, "[" .. ("1,"):rep(1500000) .. "0]"))
            print(#rest.json.decode("[" .. ("[],"):rep(40000) .. "0]"))
            """)
        try #require(lines.count == 3)
        #expect(lines[0] == "false\tnot enough memory" && lines[1] == "false\tnot enough memory")
        #expect(lines[2] == "40001")
        let fixture = ScriptFixture()
        fixture.options.memoryLimit = 16 << 20
        let error = fixture.failure(of: "rest.json.decode('[' .. ('[],'):rep(400000) .. '0]')")
        #expect(error?.line == 1 && error?.file == "test.lua")
        #expect(error?.message.contains("allow more with --memory 32M") == true)
    }

    /// Decoding turns earlier values into garbage. A collection frees the memory for the next one.
    @Test func `values that fit one after another do`() throws {
        let lines = try output(
            """
            local text = "[" .. ("[],"):rep(60000) .. "0]"
            local n = 0
            for _ = 1, 20 do n = n + #rest.json.decode(text) end
            print(n)
            """)
        #expect(lines == ["1200020"])
    }

    @Test func `a body whose value is more than twice its cap is too large`() throws {
        let lines = try output(
            """
            \(Self.show)
            api:configure(function(c) c.max_body_bytes = 1300000 end)
            rest.spawn(function()
              local content, err = api:resource("dense"):get()
              show(err)
              print(err.http_status_code)
            end)
            """)
        #expect(
            lines == [
                "too_large\tnil\t2600000\tthe value of the JSON body is larger than 2600000 bytes, twice the limit for bodies",
                "200",
            ])
    }

    @Test func `a module gets no value that is larger than its memory`() async throws {
        let fixture = try ModuleFixture(["m": "return function(c) return #c end"])
        fixture.script.options.memoryLimit = 16 << 20
        try fixture.script.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/dense", .json(200, Self.dense))
        try fixture.load(
            """
            \(Self.show)
            api:configure_transformer("**", "m")
            rest.spawn(function()
              local _, err = api:resource("dense"):get()
              show(err)
              print(api:resource("list"):get())
            end)
            """)
        await fixture.settle()
        await fixture.close()
        let lines = fixture.take()
        #expect(lines.first?.hasPrefix("script_limit\tmemory\t") == true)
        #expect(lines.last == "3")
    }

    @Test func `integers beyond 64 bits keep their digits until Lua must see one`() throws {
        let body = #"{"id":123456789012345678901,"u":18446744073709551615}"#
        let lines = try output(
            """
            rest.spawn(function()
              local resource = api:resource("dense")
              resource:load():await()
              print(resource.latest_data.content.id, math.type(resource.latest_data.content.u))
              print(rest.json.encode(resource.latest_data.content))
              local text = rest.json.decode('\(body)', { big = "text" })
              print(text.id, text.u, rest.json.decode('[18446744073709551616]', { big = "float" })[1])
              print(pcall(rest.json.decode, "1", { big = "string" }))
              print(pcall(rest.json.decode, "1", { bit = "text" }))
              print(rest.json.encode { 10 / 2, 10 // 2, math.tointeger(10 / 2) })
            end)
            """, body: body
        ) { fixture in
            let resource = fixture.host?.services.first?.resource("dense")
            #expect(resource?.latestData?.content.tree?.description == body)
        }
        try #require(lines.count == 6)
        #expect(lines[0] == "1.2345678901235e+20\tfloat")
        #expect(lines[1] == #"{"id":1.2345678901234568e+20,"u":1.8446744073709552e+19}"#)
        #expect(lines[2] == "123456789012345678901\t18446744073709551615\t1.844674407371e+19")
        #expect(lines[3].contains("big is 'text' or 'float'"))
        #expect(lines[4].contains("unknown option 'bit': did you mean 'big'?"))
        #expect(lines[5] == "[5.0,5,5]")
    }

    @Test func `of repeated keys the last counts for scripts and for who reads what was published`() throws {
        let body = #"{"a":1,"b":{"c":1,"c":2},"a":2}"#
        let lines = try output(
            """
            rest.spawn(function()
              local c = api:resource("dense"):get()
              print(c.a, c.b.c, rest.json.decode('{"x":1,"x":2}').x)
            end)
            """, body: body
        ) { fixture in
            let tree = fixture.host?.services.first?.resource("dense").latestData?.content.tree
            #expect(tree?.description == #"{"b":{"c":2},"a":2}"#)
            #expect(tree?["a"] == 2)
        }
        #expect(lines == ["2\t2\t2"])
    }
}
