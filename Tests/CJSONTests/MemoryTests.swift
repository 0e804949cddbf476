import Testing

@Suite struct `Running out of memory` {
    /// Lets each allocation fail in turn, as SQLite tests itself.
    @Test(arguments: [
        #"decode('{"a":[1,2,{"b":"' .. ("x"):rep(300) .. '"}],"c":{"d":[[],{}]}}')"#,
        #"carry {1, 2, {a = "b", [true] = {}}, nil, 5}"#, #"encode(decode('[{"a":1},{"a":2}]'))"#,
        #"decode('[' .. ('{"id":1,"name":"n"},'):rep(40) .. '0]')"#,
    ])
    func `raises, leaks nothing and leaves the state usable`(call: String) {
        let host = LuaHost()
        let chunk = "result = nil result = \(call) result = nil"
        #expect(host.error(chunk) == nil)
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
}
