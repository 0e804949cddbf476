import LuaRuntime
import Testing

@Suite struct MemoryTests {
    @Test func `what host objects keep counts, and is given back to the byte`() throws {
        let fixture = Fixture(memoryLimit: 16 << 20)
        let census = Thing.Census()
        let luaClass = Thing.makeClass()
        fixture.define("keep") { arguments in
            arguments.lua.push(object: Thing(census, keeping: 1 << 20), class: luaClass)
            return .results(1)
        }
        try fixture.run("keep() kept = nil")
        fixture.state.collectGarbage()
        let held = fixture.state.memoryUsed
        #expect(try fixture.run("kept = keep() return 'kept'") == "kept")
        #expect(fixture.state.memoryUsed - held > 1 << 20)
        let error = try #require(fixture.failure(of: "local t = {} for i = 1, 100 do t[i] = keep() end"))
        #expect(error.kind == .memory && error.line == 1)
        #expect(
            try fixture.run("for i = 1, 100 do keep() end return 'collected in time'")
                == "collected in time")
        try fixture.run("kept = nil")
        fixture.state.collectGarbage()
        #expect(census.alive == 0 && fixture.state.memoryUsed - held < 16 << 10)
        #expect(fixture.state.close().isClean)
    }

    @Test func `what changes counts anew: when a script sets something, and when the host says so`() throws {
        let fixture = Fixture(memoryLimit: 16 << 20)
        let thing = Thing()
        let kept = LuaProperty(
            "kept", type: "integer", documentation: "Bytes that it keeps.", get: { _ in .results(0) },
            set: { arguments in
                let thing: Thing = try arguments.receiver()
                thing.keptBytes = Int(try arguments.integer(1, "kept"))
                return .results(0)
            })
        fixture.define("thing", thing, class: LuaClass("thing", properties: [kept]))
        try fixture.run("thing.kept = 1")
        let held = fixture.state.memoryUsed
        try fixture.run("thing.kept = 5 << 20")
        #expect(fixture.state.memoryUsed - held + 1 >= 5 << 20)
        thing.keptBytes = 2 << 20
        fixture.state.measure(thing)
        #expect(abs(fixture.state.memoryUsed - held - 2 << 20) < 16 << 10)
        thing.keptBytes = 20 << 20
        fixture.state.measure(thing)
        let error = try #require(fixture.failure(of: "return 1"))
        #expect(error.kind == .memory)
        #expect((error.exceeded?.used ?? 0) > Double(20 << 20))
        thing.keptBytes = 0
        fixture.state.measure(thing)
        #expect(try fixture.run("return 1") == "1")
        // The memory isn't Lua's.
        fixture.state.measure(Thing(keeping: 1 << 30))
        #expect(try fixture.run("return 1") == "1")
        try fixture.run("thing.kept = 3 << 20")
        #expect(fixture.state.close().isClean)
        fixture.state.measure(thing)
    }

    @Test func `what the host refers to counts, and so do the functions that it makes for a script`() throws {
        let fixture = Fixture(memoryLimit: 16 << 20)
        var references: [LuaReference] = []
        fixture.define("refer") { arguments in
            references.append(arguments.lua.reference(arguments.slot(1)))
            return .results(0)
        }
        fixture.define("make") { arguments in
            arguments.lua.push(function: { _ in .results(0) }, name: "made", keeping: 1000)
            return .results(1)
        }
        func used() -> Int {
            fixture.state.collectGarbage()
            return fixture.state.memoryUsed
        }
        let before = used()
        try fixture.run("for i = 1, 1000 do refer(i) end")
        #expect(used() - before > 128_000)
        references = []
        try fixture.run("")
        // The list of what the host refers to keeps its length.
        #expect(used() - before < 100_000)
        try fixture.run("kept = {} for i = 1, 1000 do kept[i] = make() end")
        #expect(used() - before > 1_256_000)
        try fixture.run("kept = nil")
        #expect(used() - before < 100_000)
        let error = try #require(fixture.failure(of: "for i = 1, 1e6 do refer(i) end"))
        #expect(error.kind == .memory && references.count > 50_000 && references.count < 128_000)
        references = []
        #expect(try fixture.run("return 1") == "1")
        #expect(fixture.state.close().isClean)
    }

    @Test func `a script gives the host no more in one go than it takes`() throws {
        let fixture = Fixture(memoryLimit: 16 << 20)
        fixture.define("take") { arguments in .results(Int32(try arguments.bytes(1, "bytes").isEmpty ? 0 : 0))
        }
        let source = "local s = ('x'):rep(4 << 20) for i = 1, n do take(s) end return 'taken'"
        #expect(try fixture.run("n = 60 " + source) == "taken")
        #expect(try fixture.run("n = 60 " + source) == "taken")
        let error = try #require(fixture.failure(of: "n = 100 " + source))
        #expect(error.kind == .memory)
        #expect(
            error.message
                == "not enough memory: the script gave the host 260 MiB in one go, which takes 256 MiB at most: "
                + "give it less at a time")
        #expect(fixture.state.close().isClean)
    }

    @Test func `the limit is an error and the state goes on, twenty times`() throws {
        let fixture = Fixture(memoryLimit: 8 << 20)
        for _ in 1...20 {
            let string = try #require(fixture.failure(of: "return ('x'):rep(1e9)"))
            #expect(string.kind == .memory)
            #expect(string.description.hasPrefix("test.lua:1: not enough memory: the script holds "))
            #expect(string.message.hasSuffix(" asked for 953.7 MiB more and may hold 8 MiB"))
            #expect(string.exceeded?.budget == .memory && string.exceeded?.limit == 8_388_608)
            let table = try #require(fixture.failure(of: "local t = {} while true do t[#t + 1] = {} end"))
            #expect(table.kind == .memory)
            #expect(table.line == 1)
            #expect(try fixture.run("return 1 + 1") == "2")
        }
        fixture.state.collectGarbage()
        #expect(fixture.state.memoryUsed < 1 << 20)
        #expect(fixture.state.close().isClean)
    }

    /// Lua marks all registers of a running function, and the next function's registers are in the same
    /// place.
    @Test(arguments: ["", "pcall", "coroutine"])
    func `values that a starved function left on the stack aren't kept by the next`(wrapped: String) throws {
        let fixture = Fixture(memoryLimit: 4 << 20)
        fixture.define("big") { arguments in
            arguments.lua.push(bytes: [UInt8](repeating: 120, count: 1 << 20))
            return .results(1)
        }
        try fixture.run("probe = setmetatable({}, { __index = big })")
        let (few, many) = (Self.locals(20), Self.locals(60))
        let grow = "\(few) local t = {} while true do t = { t, ('x'):rep(9000) } end"
        let body =
            switch wrapped {
            case "pcall": "pcall(function() \(grow) end)"
            case "coroutine": "coroutine.wrap(function() \(grow) end)()"
            default: grow
            }
        let starving = try fixture.state.compile(body, chunk: "starving.lua")
        let next = try fixture.state.compile("local big = probe.big \(many)", chunk: "next.lua")
        let lua = fixture.state.main
        for _ in 1...20 {
            lua.push(starving)
            try? lua.call(arguments: 0, results: 0, phase: Fixture.phase)
            lua.push(next)
            try lua.call(arguments: 0, results: 0, phase: Fixture.phase)
        }
    }

    private static func locals(_ count: Int) -> String {
        "local " + (1...count).map { "r\($0)" }.joined(separator: ", ")
    }

    @Test func `host objects are released when a script holds all the memory there is`() throws {
        let fixture = Fixture(memoryLimit: 4 << 20)
        let census = Thing.Census()
        let luaClass = Thing.makeClass()
        fixture.define("thing") { arguments in
            arguments.lua.push(object: Thing(census), class: luaClass)
            return .results(1)
        }
        let source = """
            local t = {}
            local function fill() while true do t[#t + 1] = {} end end
            for i = 1, 200 do thing() end
            pcall(fill)
            local function deep(n) if n > 0 then thing() deep(n - 1) end end
            pcall(deep, 5000)
            """
        for _ in 1...10 { _ = fixture.failure(of: source) }
        fixture.state.collectGarbage()
        #expect(census.alive == 0)
        #expect(fixture.state.close().isClean)
    }

    @Test func `what a host function pushes beyond the limit fails after Swift returned`() throws {
        let fixture = Fixture(memoryLimit: 1 << 20)
        let census = Thing.Census()
        fixture.define("big") { arguments in
            let thing = Thing(census)
            defer { thing.size = 0 }
            arguments.lua.push(bytes: [UInt8](repeating: 120, count: 2 << 20))
            return .results(1)
        }
        for _ in 1...50 {
            #expect(fixture.failure(of: "big()")?.kind == .memory)
            #expect(try fixture.run("return pcall(big)") == "false")
        }
        #expect(census.alive == 0)
        fixture.state.collectGarbage()
        #expect(fixture.state.memoryUsed < 1 << 20)
    }

    @Test func `arguments beyond the limit fail the run`() throws {
        let fixture = Fixture(memoryLimit: 1 << 20)
        var result: Result<Int32, LuaError>?
        fixture.state.spawn(
            try fixture.state.compile("return ...", chunk: "a.lua"), phase: Fixture.phase,
            arguments: {
                $0.push(bytes: [UInt8](repeating: 120, count: 2 << 20))
                return 1
            }, completion: { result = $1 })
        guard case .failure(let error) = result else { throw LuaUsageError("no failure") }
        #expect(error.kind == .memory)
        #expect(try fixture.run("return 1") == "1")
    }
}
