import LuaRuntime
import Testing

@Suite struct MemoryTests {
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
