import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Functions of the library, called while Lua's stack is nearly full. Each must work or fail with a message.
@Suite(.leakChecked) @EngineActor
struct FullStackTests {
    private nonisolated static let calls = [
        "rest.store.get, rest.store, 'deep'", "rest.store.set, rest.store, 'other', deep",
        "rest.json.decode, text", "rest.json.encode, deep", "api.resource, api, 'text'",
        "api.resource, 5", "rest.entity, { content = deep }", "rest.error, { user_message = 'words' }",
        "resource.request, resource, 'GET', { mutate = function() end }",
        "resource.add_observer, resource, { changed = function() end }, {}",
        "resource.override_local_content, resource, deep", "rest.spawn, function(...) return ... end",
    ]

    @Test(arguments: WholeRun.part(calls, oneIn: 4))
    func `a call is made or refused`(call: String) throws {
        let fixture = ScriptFixture()
        fixture.options.limits[.load] = .init(burst: 60, total: 60)
        fixture.options.memoryLimit = 512 << 20
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            local deep, text = {}, ("["):rep(100) .. ("]"):rep(100)
            do local t = deep for i = 1, 100 do t.x = {} t = t.x end end
            rest.store:set("deep", deep)
            local resource, t, refused = api:resource("text"), {}, 0
            local function try(n) return pcall(\(call), table.unpack(t, 1, n)) end
            local function round(n)
              local _, ok, message = pcall(try, n)
              if tostring(message or ok):find("stack overflow", 1, true) then refused = refused + 1 end
            end
            for n = 10, 20 do round(n) end
            for n = 991700, 991900, 100 do round(n) end
            for n = 999900, 999999, 33 do round(n) end
            print(refused)
            """)
        let refused = try #require(fixture.take().first.flatMap { Int($0) })
        #expect(refused > 0 && refused <= 7)
        fixture.close()
    }
}
