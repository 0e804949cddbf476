import Testing

@Suite struct `Lua values` {
    @Test func `JSON becomes tables`() {
        run(
            #"""
            local v = decode([==[{"id":7,"big":9223372036854775807,"f":1.0,"s":"\u00e9","n":null,
                "l":[1,[2]],"e":{},"t":true}]==])
            assert(v.id == 7 and math.type(v.id) == "integer")
            assert(v.big == math.maxinteger and math.type(v.f) == "float" and v.s == "é" and v.n == null)
            assert(#v.l == 2 and v.l[2][1] == 2 and next(v.e) == nil and v.t == true)
            assert(is_array(v.l) and is_array(decode("[]")) and not is_array(v.e) and not is_array(v))
            assert(decode("3") == 3 and decode('"x"') == "x" and decode("null") == null)
            """#)
    }

    @Test func `null says its name and is no table`() {
        run(
            """
            assert(tostring(null) == "null" and null == decode("null") and null ~= nil)
            assert(getmetatable(null) == false)
            """)
    }

    @Test(arguments: [
        "null", "true", "[]", "{}", "[[],{}]", "1.0", "-0.0", "9223372036854775807", "0.1",
        #"{"a":[null,1,"x"]}"#,
        #""\u0001\n😀""#, "[1,2,3]",
    ])
    func `JSON survives Lua, directly and as a tree`(text: String) {
        run(
            """
            local given = [==[\(text)]==]
            assert(encode(decode(given)) == given, encode(decode(given)))
            assert(encode(carry(decode(given))) == given)
            assert(text(decode(given)) == given)
            """)
    }

    @Test func `tables become lists and objects`() {
        run(
            #"""
            assert(encode({}) == "{}" and encode(array {}) == "[]")
            assert(encode({1, "a", true}) == '[1,"a",true]')
            assert(encode({a = 1}) == '{"a":1}')
            local backwards = {}
            for i = 20, 1, -1 do backwards[i] = i end
            assert(encode(backwards) == "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]")
            local emptied = decode("[1,2]")
            emptied[1], emptied[2] = nil, nil
            assert(encode(emptied) == "[]")
            assert(encode(object {[1] = "a"}) == '{"1":"a"}' and encode(object {"a"}) == '{"1":"a"}')
            assert(encode(nil) == "null" and encode(setmetatable({1}, {__index = error})) == "[1]")
            """#)
    }

    /// Text is checked in pieces of sixteen bytes; short text, and the end of longer text, in other pieces.
    @Test func `text of any length is written as it must be`() {
        run(
            #"""
            local forms = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\1"] = "\\u0001", ["\x1f"] = "\\u001f",
                ["\x7f"] = "\x7f", [" "] = " ", ["é"] = "é", ["😀"] = "😀", ["x"] = "x" }
            local function same(given, wanted)
                assert(encode(given) == '"' .. wanted .. '"', given)
                assert(encode({ [given] = 1 }) == '{"' .. wanted .. '":1}', given)
                assert(text({ given }) == '["' .. wanted .. '"]' and decode(encode(given)) == given)
            end
            local lengths = { 254, 255, 256, 257, 258, 4090, 4094, 4095, 4096, 8190, 70000 }
            for length = 0, 40 do lengths[#lengths + 1] = length end
            for _, length in ipairs(lengths) do
                for piece, form in pairs(forms) do
                    for place = 0, length, length > 40 and length // 3 or 1 do
                        local head, tail = ("a"):rep(place), ("b"):rep(length - place)
                        same(head .. piece .. tail, head .. form .. tail)
                        same(head .. piece .. piece .. tail, head .. form .. form .. tail)
                    end
                end
                for place = 0, length, length > 40 and length // 3 or 1 do
                    local broken = ("a"):rep(place) .. "\xC3" .. ("b"):rep(length - place)
                    local done, message, code, offset = encode(broken)
                    assert(not done and code == 2 and offset == place, place)
                end
            end
            """#)
    }

    @Test(arguments: [
        ("{users = {{}, {}, {name = print}}}", "users[3].name: a function can't be content"),
        ("{a = coroutine.create(print)}", "a: a coroutine can't be content"),
        ("{io.stdout}", "[1]: an object of the host (FILE*) can't be content"),
        ("print", "a function can't be content"),
        ("{1, 2, x = 3}", "a table with both a list's and an object's keys: 'x' beside [1]"),
        ("{v = {1, nil, 3, [9] = 1}}", "v: a table with integer keys that are no list: [9] is one of 3"),
        ("{[0] = 1}", "a table with integer keys that are no list: [0] is one of 1"),
        ("{1, b = 2, a = 3}", "a table with both a list's and an object's keys: 'a' beside [1]"),
        ("{[1.5] = 1}", "a table with a fraction as key: [1.5]"),
        ("{[true] = 1}", "a table with a boolean as key: [true]"),
        ("{[{}] = 1}", "a table with a table as key"),
        ("array {1, nil, 3}", "a list with holes: [3] is one of 2"),
        ("array {x = 1}", "a list with names among its keys: 'x'"),
        ("{['a b'] = {0/0}}", #"["a b"][1]: NaN and infinities have no JSON form"#),
        ("{1/0}", "[1]: NaN and infinities have no JSON form"), ("{['\\xff'] = 1}", nil),
        ("{a = 'ok\\xff'}", "a: a string that is not UTF-8"),
    ])
    func `what JSON can't hold is refused with its path`(value: String, message: String?) {
        run(
            """
            local value = \(value)
            for _, encoder in ipairs {encode, text} do
                local done, message, code = encoder(value)
                assert(done == nil and code)
                local expected = [==[\(message ?? "")]==]
                if expected ~= "" and (encoder == encode or code ~= 6) then
                    assert(message == expected, message)
                end
            end
            """)
    }

    @Test func `a tree holds all that a value can be`() {
        run(
            #"""
            local v = carry {
                1, 2, nil, 4, x = "y",
                [2.5] = {["\xff"] = "\0\xfe"}, [true] = 0/0, [-7] = 1/0, [1 << 40] = false,
            }
            assert(v[1] == 1 and v[2] == 2 and v[3] == nil and v[4] == 4 and v.x == "y")
            assert(v[2.5]["\xff"] == "\0\xfe" and v[true] ~= v[true] and v[-7] == 1/0 and v[1 << 40] == false)
            assert(is_array(carry(array {1, nil, 3})) and not is_array(carry {1, nil, 3, [9] = 9}))
            assert(getmetatable(carry(object {[true] = 1})) == getmetatable(object {}))
            for _, bad in ipairs {{[print] = 1}, {[{}] = 1}, {[null] = 1}, {print}} do
                assert(select(3, tree(bad)) == 6)
            end
            """#)
    }

    @Test func `cycles and depth end in an error`() {
        run(
            #"""
            local v = {a = {b = {}}}
            v.a.b.c = v.a
            for _, f in ipairs {encode, tree} do
                local _, message, code = f(v)
                assert(code == 7 and message == "a.b.c: a table that contains itself", message)
            end
            local deep = {}
            for i = 1, 511 do deep = {deep} end
            assert(encode(deep) and carry(deep))
            assert(select(3, encode {deep}) == 3 and select(3, tree {deep}) == 3)
            assert(encode({{}}, 2) == "[{}]" and select(3, encode({{}}, 1)) == 3)
            local wide = {}
            for i = 1, 60 do wide = {wide, wide} end
            assert(select(3, encode(wide, 0, 1 << 20)) == 4)
            """#)
    }

    @Test func `classes keep their metatable`() {
        run(
            #"""
            local User, Other = {__index = {hi = function(s) return "hi " .. s.name end}}, {}
            assert(class(User) == 1 and class(Other) == 2 and class(User) == 1)
            local v = carry {
                setmetatable({name = "Ada"}, User), setmetatable({}, Other), setmetatable({1}, {}),
            }
            assert(v[1]:hi() == "hi Ada" and getmetatable(v[2]) == Other and is_array(v[3]))
            assert(encode(v) == '[{"name":"Ada"},{},[1]]' and text(v) == encode(v))
            """#)
    }

    @Test func `a state that keeps classes needs no declaration of them, and forgets those that are gone`() {
        run(
            #"""
            local User, Plain = {__index = {hi = function(s) return "hi " .. s.name end}}, {__len = print}
            local function users() return {setmetatable({name = "Ada"}, User), setmetatable({}, Plain)} end
            assert(getmetatable(carry(users())[1]) == nil)
            keep_classes()
            local v = carry(users())
            assert(v[1]:hi() == "hi Ada" and getmetatable(v[2]) == nil)
            assert(encode(v) == '[{"name":"Ada"},{}]' and text(v) == encode(v))
            local calls = setmetatable({}, {__mode = "k"})
            for i = 1, 50 do
                local own = {__index = {}}
                calls[own] = true
                carry(setmetatable({}, own))
            end
            collectgarbage()
            assert(next(calls) == nil)
            assert(getmetatable(carry(users())[1]) == User)
            """#)
    }

    @Test func `equal keys of many records are distinguished`() {
        run(
            #"""
            local list = {}
            for i = 1, 300 do
                local record = {}
                for j = 1, 20 do record["k" .. (i * j) % 150 .. ("x"):rep(j % 45)] = i * j end
                list[i] = record
            end
            for i, record in ipairs(carry(list)) do
                for key, value in pairs(list[i]) do assert(record[key] == value) end
                for key in pairs(record) do assert(list[i][key]) end
            end
            """#)
    }
}
