import Testing

/// Short strings that came before are not made anew: what comes is the same all the same.
@Suite struct `Strings that come again` {
    private let model = #"""
        -- A state remembers strings when it has read 64 kiB: this is a little less, and the next is more.
        local filler = '["' .. ("x"):rep(1000) .. '"]'
        for _ = 1, 65 do decode(filler) end
        function list(strings)
            local parts = {}
            for i, s in ipairs(strings) do parts[i] = '"' .. s .. '"' end
            -- Long enough for anything to be remembered.
            return "[" .. table.concat(parts, ",") .. (" "):rep(600) .. "]"
        end
        function check(strings)
            local text = list(strings)
            local straight, byTree = decode(text), decode_tree(text)
            assert(#straight == #strings and #byTree == #strings)
            for i, s in ipairs(strings) do
                assert(straight[i] == s, s)
                assert(byTree[i] == s, s)
            end
        end
        """#

    private func run(_ source: String) { CJSONTests.run(model + "\n" + source) }

    @Test func `of all lengths, that differ in any one byte`() {
        run(
            #"""
            for round = 1, 4 do
                for length = 0, 50 do
                    local strings = {("a"):rep(length)}
                    for place = 1, length do
                        strings[#strings + 1] = ("a"):rep(place - 1) .. "b" .. ("a"):rep(length - place)
                    end
                    check(strings)
                end
            end
            """#)
    }

    @Test(arguments: 1...10)
    func `seeded: drawn from few and from many, with collections in between`(seed: Int) {
        run(
            #"""
            math.randomseed(\#(seed))
            for round = 1, 60 do
                local strings, kinds = {}, 4 ^ math.random(1, 7) // 1 | 0
                for i = 1, math.random(1, 600) do
                    local s = tostring(math.random(kinds)) .. ("é"):rep(math.random(0, 3) * 6)
                    strings[i] = math.random(5) == 1 and s:rep(math.random(1, 9)) or s
                end
                for _ = 1, math.random(3) do check(strings) end
                if round % 7 == 0 then collectgarbage() end
            end
            """#)
    }

    @Test func `what is remembered is bounded, and what no longer comes is forgotten`() {
        run(
            #"""
            local function held()
                collectgarbage() collectgarbage()
                return collectgarbage("count")
            end
            local before = held()
            for round = 1, 200 do
                local strings = {}
                for i = 1, 300 do strings[i] = ("%08d"):format(round % 100 * 300 + i) .. ("y"):rep(30) end
                local text = list(strings)
                decode(text) decode(text) decode(text)
            end
            -- 64 kB by itself, and 2,048 strings of 63 bytes.
            assert(held() - before < 220, held() - before)
            """#)
    }

    /// Between looking for a string and keeping it, Lua may collect, and a finalizer may read a document.
    @Test func `while a finalizer decodes others of the same places`() {
        run(
            #"""
            collectgarbage("setpause", 100) collectgarbage("setstepmul", 1000)
            math.randomseed(7)
            local inner = 0
            local function strings(count)
                local result = {}
                for i = 1, count do result[i] = ("z"):rep(math.random(1, 12)) .. math.random(4000) end
                return result
            end
            local function arm()
                setmetatable({}, {__gc = function()
                    inner = inner + 1
                    -- The tree's memory is one for the whole state, and in use.
                    local mine = strings(60)
                    for _ = 1, 2 do
                        for i, s in ipairs(decode(list(mine))) do assert(s == mine[i]) end
                    end
                    arm()
                end})
            end
            arm()
            for _ = 1, 15 do
                local mine = strings(200)
                check(mine) check(mine) check(mine)
            end
            assert(inner > 1, inner)
            """#)
    }

    @Test func `memory that fails at any point leaves the state usable`() {
        let prepared =
            "\nwanted = {} for i = 1, 40 do wanted[i] = 'value ' .. i end document = list(wanted)"
        let call = "for _ = 1, 3 do assert(decode(document)[40] == wanted[40]) end"
        // In states that are about to make what remembers, and then in one that has it.
        for count in 0..<200 {
            let host = LuaHost()
            #expect(host.error(model + prepared) == nil)
            for count in [count, 200 - count] {
                host.failAllocations(after: count)
                let error = host.error(call)
                host.failAllocations(after: -1)
                #expect(error == nil || error == "not enough memory", "\(error!)")
            }
            #expect(host.error(call) == nil)
        }
    }
}
