import Testing

@Suite struct `Running out of memory` {
    /// Lets each allocation fail, one per round, as SQLite's own tests do.
    @Test(arguments: [
        #"decode('{"a":[1,2,{"b":"' .. ("x"):rep(300) .. '"}],"c":{"d":[[],{}]}}')"#,
        #"carry {1, 2, {a = "b", [true] = {}}, nil, 5}"#, #"encode(decode('[{"a":1},{"a":2}]'))"#,
        #"decode('[' .. ('{"id":1,"name":"n"},'):rep(40) .. '0]')"#,
    ])
    func `raises, leaks nothing and leaves the state usable`(call: String) {
        let host = LuaHost()
        let chunk = "result = nil result = \(call) result = nil"
        // Until the state has all objects that it keeps.
        for _ in 0..<200 { #expect(host.error(chunk) == nil) }
        #expect(host.error("collectgarbage() collectgarbage()") == nil)
        let baseline = host.bytes
        for count in 0..<400 {
            host.failAllocations(after: count)
            let error = host.error(chunk)
            host.failAllocations(after: -1)
            #expect(error == nil || error == "not enough memory")
            #expect(host.error("collectgarbage() collectgarbage()") == nil)
            #expect(host.bytes <= baseline + 4096)
        }
        #expect(host.error(chunk) == nil)
    }

    @Test func `a finalizer may decode while a value is being pushed`() {
        run(
            #"""
            collectgarbage("setpause", 100) collectgarbage("setstepmul", 1000)
            local document = '[' .. ('{"id":1,"name":"some name"},'):rep(200) .. '0]'
            local inner = 0
            local function arm()
                setmetatable({}, {__gc = function()
                    inner = inner + 1
                    assert(decode('{"x":[1,2,{"y":"' .. ("z"):rep(500) .. '"}]}').x[3].y)
                    arm()
                end})
            end
            arm()
            for i = 1, 200 do
                local v = decode(document)
                assert(#v == 201 and v[200].name == "some name" and v[1].id == 1)
            end
            assert(inner > 0)
            """#)
    }

    /// The last argument is the memory that Lua may take.
    @Test func `a value is given up when there is no memory lent for it`() {
        run(
            #"""
            local text = "[" .. ('{"a":[1,2],"b":"text"},'):rep(5000) .. "0]"
            assert(#decode(text) == 5001)
            collectgarbage() collectgarbage("stop")
            local before = collectgarbage("count")
            local value, message, code = decode(text, nil, nil, nil, 300000)
            assert(value == nil and message == "out of memory" and code == 8)
            assert(collectgarbage("count") - before < 400)
            collectgarbage("restart")
            assert(#decode(text, nil, nil, nil, 4000000) == 5001)
            -- A table that is too large is not begun.
            text = "[" .. ("0,"):rep(100000) .. "0]"
            before = collectgarbage("count")
            assert(decode(text, nil, nil, nil, 1000000) == nil)
            assert(collectgarbage("count") - before < 10)
            """#)
    }

    @Test func `large integers are floats, or text where that is asked for`() {
        run(
            #"""
            local text = '[18446744073709551615,-123456789012345678901,7,1.5]'
            local v = decode(text)
            assert(v[1] == 2^64 and math.type(v[1]) == "float" and v[2] == -123456789012345678901 and v[3] == 7)
            v = decode(text, nil, nil, "text")
            assert(v[1] == "18446744073709551615" and v[2] == "-123456789012345678901" and v[3] == 7 and v[4] == 1.5)
            """#)
    }
}
