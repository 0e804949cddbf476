import Testing

/// Values that are decoded directly from simdjson's tape equal those that are decoded through a tree.
@Suite struct `Decoding without a tree` {
    private let model = #"""
        local function same(a, b, path)
            assert(math.type(a) == math.type(b) and type(a) == type(b), path)
            if type(a) ~= "table" then return assert(a == b or a ~= a, path) end
            assert(is_array(a) == is_array(b) and getmetatable(a) == getmetatable(b), path)
            for key, value in next, a do same(value, b[key], path .. "." .. key) end
            for key in next, b do assert(a[key] ~= nil, path) end
        end
        function check(text, depth, bytes)
            local value, message, code, offset = decode(text, depth, bytes)
            local other, otherMessage, otherCode, otherOffset = decode_tree(text, depth, bytes)
            assert(code == otherCode and message == otherMessage and offset == otherOffset, text)
            if not code then same(value, other, "") end
            return value
        end
        """#

    private func run(_ source: String) { CJSONTests.run(model + "\n" + source) }

    @Test func `scalars, byte order marks and what is malformed`() {
        run(
            #"""
            for _, text in ipairs { "null", "1", '"x"', "\u{FEFF}[1]", "", " ", "[", "[1,]", '{"a"}', '["\xFF"]', "nul",
                "[18446744073709551615,9223372036854775808,-9223372036854775808,123456789012345678901,1.0,-0.0,1e400]",
                "[18446744073709551615,9223372036854775808,1.0,-0.0,5e-324]", "[[],{},[{}],{\"\":[]}]" } do
                check(text)
                check("[" .. text .. ("," .. text):rep(300) .. "]")
            end
            """#)
    }

    @Test func `limits are the same`() {
        run(
            #"""
            for depth = 1, 12 do
                local text = ('{"a":['):rep(depth // 2) .. "1" .. ("]}"):rep(depth // 2)
                for limit = 1, 12 do check(text, limit) end
                check("[" .. (text .. ","):rep(100) .. text .. "]", depth)
            end
            check(("["):rep(512) .. ("]"):rep(512))
            check(("["):rep(513) .. ("]"):rep(513))
            check(("["):rep(1001) .. ("]"):rep(1001), 1000)
            for bytes = 1, 200 do
                check('[[[]],{"a":"text"},12345,1.5]', nil, bytes)
                check(("["):rep(20) .. ("]"):rep(20), nil, bytes)
            end
            """#)
    }

    /// Keys are recognised by their ends and by the keys before them.
    @Test(arguments: 1...20)
    func `seeded: records whose keys repeat, or nearly`(seed: Int) {
        run(
            #"""
            math.randomseed(\#(seed))
            local stems = {}
            for i = 1, math.random(1, 90) do
                local ends, middle = ("k"):rep(math.random(0, 9)), {}
                for j = 1, math.random(0, 30) do middle[j] = string.char(96 + math.random(1, 2)) end
                stems[i] = ends .. table.concat(middle) .. ends
            end
            local value
            local function object(depth)
                local parts = {}
                for i = 1, math.random(0, math.random(4) == 1 and 100 or 12) do
                    local index = math.random(3) == 1 and math.random(#stems) or i % #stems + 1
                    parts[i] = '"' .. stems[index] .. '":' .. value(depth - 1)
                end
                return "{" .. table.concat(parts, ",") .. "}"
            end
            function value(depth)
                local kind = math.random(depth > 0 and 9 or 7)
                if kind == 1 then return "null" end
                if kind == 2 then return tostring(math.random(2) == 1) end
                if kind == 3 then return tostring(math.random(-300, 300)) end
                if kind == 4 then return tostring(math.random(0) // 1 | 0) end
                if kind == 5 then return tostring(math.random() * 1e3) end
                if kind <= 7 then return '"' .. ("tex\\n"):rep(math.random(0, 12)) .. '"' end
                if kind == 8 then return object(depth) end
                local parts = {}
                for i = 1, math.random(0, 5) do parts[i] = value(depth - 1) end
                return "[" .. table.concat(parts, ",") .. "]"
            end
            for _ = 1, 10 do
                local parts = {}
                for i = 1, math.random(1, 20) do parts[i] = object(3) end
                check("[" .. table.concat(parts, ",") .. "]")
            end
            """#)
    }

    @Test func `keys that are the same at both ends, or longer than Lua interns`() {
        run(
            #"""
            local parts = {}
            for length = 1, 60 do
                for place = 1, length do
                    local key = ("x"):rep(place - 1) .. "y" .. ("x"):rep(length - place)
                    parts[#parts + 1] = '{"' .. key .. '":' .. place .. ',"' .. ("x"):rep(length) .. '":0}'
                end
            end
            local list = check("[" .. table.concat(parts, ",") .. "]")
            assert(list[#list][("x"):rep(59) .. "y"] == 60)
            """#)
    }

    @Test func `an object takes no more memory for a key that comes again and again`() {
        run(
            #"""
            local text = "{" .. ('"a":1,'):rep(100000) .. '"a":2}'
            assert(decode(text, nil, nil, nil, 20000).a == 2)
            local parts = {}
            for i = 1, 3000 do parts[i] = '"key' .. i % 1500 .. '":' .. i end
            local v = check("{" .. table.concat(parts, ",") .. "}")
            assert(v.key0 == 3000 and v.key1 == 1501 and v.key1499 == 2999)
            """#)
    }
}
