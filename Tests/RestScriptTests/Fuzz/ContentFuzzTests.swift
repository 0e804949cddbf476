import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

extension SeededRandom {
    mutating func tree(depth: Int) -> Tree {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
        case 0: return .null
        case 1: return Tree(Bool.random(using: &self))
        case 2:
            return Tree(
                Int64.random(in: .min ... .max, using: &self) >> Int64.random(in: 0..<63, using: &self))
        case 3: return Tree(Double(bitPattern: next() & 0xBFFF_FFFF_FFFF_FFFF))
        case 4: return Tree(bytes: bytes(upTo: 20))
        case 5: return Tree(["", "a", "é", "\0", "key with space"].randomElement(using: &self) ?? "")
        case 6: return Tree((0..<Int.random(in: 0...5, using: &self)).map { _ in tree(depth: depth - 1) })
        default:
            // A Lua table keeps no order, so only tables with one key can be compared.
            let count = Int.random(in: 0...1, using: &self)
            return Tree(pairs: (0..<count).map { ("k\($0)", tree(depth: depth - 1)) })
        }
    }
}

@Suite @EngineActor
struct ContentFuzzTests {
    @Test func `trees survive the way through Lua`() throws {
        let fixture = ScriptFixture()
        try fixture.load("")
        let context = try #require(fixture.context)
        let lua = context.state.main
        var generator = SeededRandom(seed: 7)
        for _ in 0..<5_000 {
            let tree = generator.tree(depth: 4)
            let height = lua.top
            context.values.trees.push(tree, on: lua)
            let back = try context.values.trees.tree(lua, -1)
            #expect(back == tree)
            let content = try context.values.content(lua, -1)
            context.values.push(try #require(content), on: lua)
            #expect(try context.values.trees.tree(lua, -1) == tree)
            lua.setTop(height)
        }
        fixture.close()
    }

    @Test func `random Lua values are content or an error, never a crash`() throws {
        let fixture = ScriptFixture()
        fixture.options.grantedEnvironment = nil
        try fixture.load(
            """
            local seed = 1
            local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n end
            local shared = {}
            local function quiet() end
            local function value(depth)
              local kind = random(depth > 0 and 16 or 10)
              if kind == 0 then return nil elseif kind == 1 then return random(2) == 0
              elseif kind == 2 then return random(1000) - 500 elseif kind == 3 then return (random(1000) - 500) / 7
              elseif kind == 4 then return ({ 0/0, math.huge, -math.huge, math.maxinteger, math.mininteger, -0.0 })[random(6) + 1]
              elseif kind == 5 then return ("x"):rep(random(300)) elseif kind == 6 then return string.char(random(256), random(256))
              elseif kind == 7 then return rest.null elseif kind == 8 then return ({ quiet, api, coroutine.create(print) })[random(3) + 1]
              elseif kind == 9 then return shared end
              local t = {}
              for i = 1, random(5) do t[i] = value(depth - 1) end
              if random(3) == 0 then t[random(10)] = value(depth - 1) end
              if random(3) == 0 then t["k" .. random(3)] = value(depth - 1) end
              if random(20) == 0 then t.self = t end
              if random(10) == 0 then rest.json.array(t) elseif random(10) == 0 then rest.json.object(t) end
              if random(10) == 0 then shared = t end
              return t
            end
            local good, bad = 0, 0
            local r = api:resource("fuzz")
            local function rounds()
              for i = 1, 200 do
                local v = value(4)
                local ok = pcall(r.override_local_content, r, v)
                if ok then
                  good = good + 1
                  local text = select(2, pcall(rest.json.encode, r.latest_data.content))
                  assert(type(text) == "string")
                  local again = select(2, pcall(rest.json.decode, text))
                else bad = bad + 1 end
                pcall(r.request, r, "POST", v) pcall(rest.json.encode, v) pcall(rest.error, v)
                pcall(rest.entity, v) pcall(rest.service, v) pcall(rest.gateway, v) pcall(r.with_params, r, v)
                pcall(rest.log.debug, v, v) pcall(api.configure, api, v, v, quiet) pcall(api.configure_transformer, api, v, v, v)
              end
            end
            for i = 1, 10 do rest.after(0, function() local ok, why = pcall(rounds) if not ok then print(why) end end) end
            rest.after(1, function() print(good > 100, bad > 100) end)
            """)
        fixture.advance(2)
        fixture.close()
        #expect(fixture.lines.filter { !$0.hasPrefix("debug: ") } == ["true\ttrue"])
    }
}
