import Testing

/// Objects from Lua become the same bytes in each state, although Lua's own order differs.
@Suite struct `The order of keys` {
    private let model = #"""
        local function quoted(s) return encode(s) end
        -- The expected text, by Lua's own sort of strings, which compares bytes in the C locale.
        function expected(v)
            if type(v) ~= "table" then return encode(v) end
            local keys, parts = {}, {}
            if #v > 0 then
                for i = 1, #v do parts[i] = expected(v[i]) end
                return "[" .. table.concat(parts, ",") .. "]"
            end
            for key in pairs(v) do keys[#keys + 1] = key end
            table.sort(keys)
            for i, key in ipairs(keys) do parts[i] = quoted(key) .. ":" .. expected(v[key]) end
            return "{" .. table.concat(parts, ",") .. "}"
        end
        function check(v)
            local want = expected(v)
            assert(encode(v) == want, encode(v) .. " for " .. want)
            assert(text(v) == want, text(v))
            assert(text(carry(v)) == want, "carried")
        end
        """#

    private func run(_ source: String) { CJSONTests.run(model + "\n" + source) }

    @Test func `keys are sorted as bytes, whatever they share`() {
        run(
            #"""
            check { b = 1, a = 2, c = 3 }
            check { [""] = 1, a = 2, aa = 3, ["a b"] = 4, ["a\0"] = 5, ["a\0b"] = 6, ["a!"] = 7, ['a"'] = 8 }
            check { abcdefgh = 1, abcdefghi = 2, abcdefgha = 3, abcdefg = 4, ["abcdefgh\0"] = 5 }
            check { ["é"] = 1, z = 2, ["日本"] = 3, ["\u{10FFFF}"] = 4, Z = 5, _ = 6 }
            check { [("x"):rep(300)] = 1, [("x"):rep(299)] = 2, [("x"):rep(300) .. "a"] = 3 }
            """#)
    }

    @Test func `objects inside objects, and in lists`() {
        run(
            #"""
            check { z = { y = { x = 1, w = {} }, a = { 1, { c = 1, b = 2 } } }, b = { d = 1, c = 2 } }
            check { { b = 1, a = 2 }, { a = 1, b = { d = 1, c = 2 } } }
            assert(encode(object { [10] = "a", [9] = { c = 1, b = 2 }, x = 3 }) == '{"10":"a","9":{"b":2,"c":1},"x":3}')
            """#)
    }

    @Test(arguments: 1...12)
    func `seeded: any object`(seed: Int) {
        run(
            #"""
            math.randomseed(\#(seed))
            local function key()
                local bytes = {}
                for i = 1, math.random(0, 12) do bytes[i] = utf8.char(math.random(1, math.random(2) == 1 and 3 or 300)) end
                return (math.random(3) == 1 and "abcdefgh" or "") .. table.concat(bytes)
            end
            local function value(depth)
                if depth == 0 or math.random(3) == 1 then return math.random(1000) end
                local v = {}
                if math.random(4) == 1 then
                    for i = 1, math.random(5) do v[i] = value(depth - 1) end
                else
                    for _ = 1, math.random(1, depth == 1 and 60 or 5) do v[key()] = value(depth - 1) end
                end
                return v
            end
            for _ = 1, 3 do check(value(3)) end
            """#)
    }

    /// Many keys are sorted by another method than few, and deep inside another method is used than at the
    /// top.
    @Test func `many keys, and deep inside`() {
        run(
            #"""
            for _, count in ipairs { 2, 31, 32, 33, 34, 64, 65, 200 } do
                local list = {}
                for i = 1, 6 do
                    local v = {}
                    for j = 1, count do v["key" .. (j * (i % 2 == 0 and 7 or 1)) % 211] = { b = j, a = i } end
                    list[i] = v
                end
                check(list)
            end
            local deep = { z = 1, a = 2 }
            for i = 1, 80 do
                deep = i % 3 == 0 and { deep, { y = 1, b = 2 } } or { y = i, deep = deep, a = { 1, { d = 1, c = 2 } } }
            end
            check(deep)
            """#)
    }

    @Test func `a table that turns out to be no object begins anew`() {
        run(
            #"""
            for first = 1, 40 do
                local v = {}
                for i = 1, first do v["k" .. i] = { b = i, a = i } end
                v[7.5] = { d = 1, c = 2 }
                local back = carry(v)
                for i = 1, first do assert(back["k" .. i].b == i) end
                assert(back[7.5].d == 1 and not encode(v))
                v[7.5] = nil
                v.f = print
                assert(not encode(v))
                v.f = nil
                check(v)
            end
            """#)
    }
}
