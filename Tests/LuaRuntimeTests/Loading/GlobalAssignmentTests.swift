import TestSupport
import Testing

@testable import LuaRuntime

@Suite struct GlobalAssignmentTests {
    private let fixture = Fixture()

    private func found(_ source: String) throws -> [String] {
        try fixture.state.mainSandbox.globalAssignments(in: Array(source.utf8), chunk: "test.lua")
            .map { "\($0.line) \($0.name)\($0.isInFunction ? " in function" : "")" }
    }

    @Test func `assignments in the main part and in functions`() throws {
        #expect(try found("a = 1\nfunction b() end") == ["1 a", "2 b"])
        #expect(
            try found("local f = function()\n c = 1\n return function() d = c end end")
                == ["2 c in function", "3 d in function"])
    }

    @Test func `no local, field or environment of its own is a global`() throws {
        #expect(try found("local a = 1 a = 2 local t = {} t.x = 3 t[1] = 4") == [])
        #expect(try found("local _ENV = {} a = 1 return function() b = 2 end") == [])
        #expect(try found("print(a) return b.c") == [])
    }

    @Test func `nothing runs, and text that is no Lua is an error`() throws {
        #expect(try found("error('no') a = 1") == ["1 a"])
        #expect(throws: LuaError.self) { try found("a = = 1") }
    }

    @Test func `bytes that are no chunk are refused, not read`() throws {
        let lua = fixture.state.main
        lua.push(try fixture.state.compile("local a = 'x' return function() b = a end", chunk: "t.lua"))
        defer { lua.pop() }
        let dump = LuaState.dump(of: lua)
        #expect(BinaryChunk(dump) != nil)
        var random = SeededRandom(seed: 3)
        for _ in 0..<3000 {
            var bytes = dump
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if let chunk = BinaryChunk(bytes) { _ = GlobalAssignments(chunk).found }
            _ = BinaryChunk(Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))))
        }
    }
}
