import Testing

/// Text that is parsed before its form is known gives the same value in each form.
@Suite struct `Reading ahead` {
    private let model = #"""
        function check(text, depth, bytes)
            local value, message, code = decode_tree(text, depth, bytes)
            local same = not code and tree_of_text(text)
            local reading, what = ahead(text, depth, bytes)
            assert(not reading or not code, text)
            if not reading then return end
            assert(what == kind(same), text)
            assert(tree(push_ahead(reading, #text)) == tree(value), text)
            assert(tree_ahead(reading, #text) == same, text)
            assert(push_ahead(reading, #text) ~= nil)
            return reading
        end
        """#

    private func run(_ source: String) { CJSONTests.run(model + "\n" + source) }

    @Test func `scalars, containers and byte order marks`() {
        run(
            #"""
            for _, text in ipairs { "null", "1", "-7.5", "true", '"x"', "\u{FEFF}[1]", "[[],{},[{}],{\"\":[]}]",
                '{"a":1,"b":[1,2,{"c":null}]}', "[9223372036854775807,-9223372036854775808,1.0,-0.0,5e-324]" } do
                assert(check(text), text)
                assert(check("[" .. text:gsub("^\u{FEFF}", "") .. "]"))
            end
            assert(not check("18446744073709551616") and check("18446744073709551615"))
            """#)
    }

    @Test func `the last of repeated keys counts`() {
        run(
            #"""
            local reading = check('{"a":1,"b":2,"a":{"a":3,"a":4}}')
            assert(encode(push_ahead(reading, 30)) == '{"a":{"a":4},"b":2}')
            """#)
    }

    @Test func `what is malformed, too deep or too large is not taken`() {
        run(
            #"""
            for _, text in ipairs { "", " ", "[", "[1,]", '{"a"}', '["\xFF"]', "nul", "[1e400]", "[01]", "1 2" } do
                assert(not ahead(text), text)
            end
            for depth = 1, 12 do
                local text = ("["):rep(depth) .. "1" .. ("]"):rep(depth)
                local empty = ("["):rep(depth) .. ("]"):rep(depth)
                for limit = 1, 12 do
                    check(text, limit)
                    check(empty, limit)
                    if depth < limit then assert(ahead(text, limit) and ahead(empty, limit)) end
                    if depth > limit then assert(not ahead(text, limit) and not ahead(empty, limit)) end
                end
            end
            assert(not ahead("[1,2,3]", nil, 20) and ahead("[1,2,3]", nil, 200))
            """#)
    }

    @Test func `it is known until the thread reads something else`() {
        run(
            #"""
            local text = '{"id":7}'
            local first = ahead(text)
            assert(push_ahead(first, #text).id == 7 and push_ahead(first, #text).id == 7)
            local second = ahead("[1]")
            assert(first ~= second and not push_ahead(first, #text) and not tree_ahead(first, #text))
            assert(push_ahead(second, 3)[1] == 1)
            decode("[2]")
            assert(not push_ahead(second, 3))
            local third = ahead("[3]")
            assert(decode("[") == nil and not tree_ahead(third, 3))
            assert(not push_ahead(0, 3) and not tree_ahead(0, 3))
            """#)
    }

    /// The value is made while the notes of its text are read. A finalizer may parse another text at that
    /// moment.
    @Test func `a finalizer may read JSON while a value is made`() {
        run(
            #"""
            local text = "[" .. ('{"id":1,"name":"a text of some length"},'):rep(500) .. "0]"
            local reads = 0
            local function litter()
                setmetatable({}, { __gc = function() reads = reads + 1 assert(decode("[1]")[1] == 1) litter() end })
            end
            litter()
            collectgarbage("setpause", 10)
            for i = 1, 50 do
                local value = push_ahead(ahead(text), #text)
                assert(#value == 501 and value[500].id == 1 and value[501] == 0)
            end
            assert(reads > 5)
            """#)
    }

    @Test func `no memory is an error, and the next value is whole`() {
        let host = LuaHost()
        let text = #"{"list":[1,2,3,"some text"],"other":{"a":[[[]]]}}"#
        for allocations in 0..<30 {
            host.failAllocations(after: allocations)
            _ = host.error("local t = '\(text)' local r = ahead(t) push_ahead(r, #t)")
            host.failAllocations(after: -1)
            #expect(
                host.error("local t = '\(text)' assert(encode(push_ahead(ahead(t), #t)) == t)") == nil)
        }
    }
}

/// Text with the same content as a tree of the value.
@Suite struct `Plain JSON text` {
    private func run(_ source: String) {
        CJSONTests.run(
            #"""
            function same(value) assert(tree_of_text(plain(value)) == tree(value) and plain(value) == encode(value)) end
            function refused(value, depth)
                local text, message, code = plain(value, depth)
                assert(text == nil and code == 6, message)
            end
            """# + "\n" + source)
    }

    @Test func `arrays, objects and what is in them`() {
        run(
            #"""
            same({}) same(array({})) same({ 1, 2, { 3 } }) same({ b = 1, a = { c = null, d = true } })
            same({ 1.0, -0.0, 1e300, 5e-324, math.maxinteger, math.mininteger, 0.1, 1e15, 1e16, 123456789.125 })
            same({ "", "\0\1\u{7F}\"\\/", "\u{10FFFF}é", ("x"):rep(300) })
            same(object({ a = 1 })) same(array({ 1, 2, n = 4 })) same(object({}))
            local wide = {}
            for i = 1, 500 do wide["k" .. i * 7919 % 500] = { i } end
            same(wide)
            """#)
    }

    @Test func `what text would lose is refused`() {
        run(
            #"""
            refused(setmetatable({ 1 }, {})) refused({ { a = setmetatable({}, { __index = {} }) } })
            refused(object({ [1] = 1 })) refused(object({ [1] = 1, ["1"] = 2 })) refused({ 1, a = 2 }) refused({ print })
            assert(select(3, plain({ 0 / 0 })) == 5 and select(3, plain({ "\xFF" })) == 2)
            assert(select(3, plain({ ("x"):rep(100) }, nil, 50)) == 4)
            assert(select(3, plain({ { { 1 } } }, 2)) == 3)
            same({ 1, 2 })
            """#)
    }
}
