import LuaRuntime
import Testing

@Suite struct LuaStateTests {
    @Test func `a chunk runs and gives its results`() throws {
        let fixture = Fixture()
        #expect(try fixture.run("return 1 + 1") == "2")
        #expect(fixture.state.main.top == 0)
    }

    @Test func `print and io write go to the sink`() throws {
        let fixture = Fixture()
        try fixture.run("print('a', 1, nil) io.write('b', 2)")
        #expect(fixture.printed == "a\t1\tnil\nb2")
    }

    @Test func `what is printed stays the bytes that it was`() throws {
        var printed: [UInt8] = []
        let state = LuaState(LuaOptions(output: { printed += $0 }))
        let lua = state.main
        lua.push(
            try state.compile(
                "print('\\xE9', '\\0') io.write('\\xFF', 1) io.stdout:write('\\xC3')", chunk: "a.lua"))
        try lua.call(arguments: 0, results: 0, phase: Fixture.phase)
        #expect(printed == [0xE9, 0x09, 0, 0x0A, 0xFF, 0x31, 0xC3])
        #expect(state.close().isClean)
    }

    @Test func `closing reports what is still held`() throws {
        let fixture = Fixture()
        var reference: LuaReference? = try fixture.state.compile("return 1", chunk: "a.lua")
        let report = fixture.state.close()
        #expect(report.references == 1 && report.hostObjects == 0 && report.bytes == 0)
        #expect(!report.isClean)
        reference = nil
        #expect(reference == nil)
        #expect(fixture.state.close().isClean)
    }

    @Test func `a clean state closes clean`() throws {
        let fixture = Fixture()
        try fixture.run("t = {} for i = 1, 1000 do t[i] = tostring(i) end")
        #expect(fixture.state.close().isClean)
    }

    @Test func `use on another thread stops the process with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let state = UncheckedBox(LuaState())
            await withCheckedContinuation { continuation in
                startThread {
                    _ = state.value.memoryUsed
                    continuation.resume()
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("what: a Lua state was used outside its thread"))
        #expect(text.contains("why:  only one thread may touch it"))
        #expect(text.contains("here: thread "))
        #expect(text.contains("home: thread "))
    }

    @Test func `a reference of another state stops the process`() async {
        await #expect(processExitsWith: .failure) {
            let one = LuaState()
            let other = LuaState()
            other.main.push(try one.compile("return 1", chunk: "a.lua"))
        }
    }
}
