import TestSupport
import Testing

@testable import LuaRuntime

@Suite struct ChunkLinesTests {
    private let fixture = Fixture()

    private func dump(_ source: String) throws -> [UInt8] {
        let lua = fixture.state.main
        lua.push(try fixture.state.compile(source, chunk: "test.lua"))
        defer { lua.pop() }
        return LuaState.dump(of: lua)
    }

    private static let sources = [
        "", "return", "return 1", "local a <const> = 1 return a, -1.5, 'short', nil, true, false",
        "local s = '\(String(repeating: "long ", count: 60))'",
        "return function(...) local a, b = ... return function() return a end end",
        "for i = 1, 2 do local x <close> = nil goto out ::out:: end",
    ]

    @Test(arguments: sources)
    func `chunks of every shape are read`(source: String) throws {
        #expect(ChunkLines(try dump(source)) != nil)
    }

    @Test func `lines far apart are right`() throws {
        let gap = String(repeating: "\n", count: 500)
        let source = "local a = 1\(gap)local b = 2\(gap)return a"
        #expect(ChunkLines(try dump(source))?.lines == [1, 501, 1001])
    }

    @Test func `long functions, whose lines are marked now and then, are right`() throws {
        let body = (1...1000).map { "x = \($0)" }.joined(separator: "\n")
        #expect(ChunkLines(try dump(body))?.lines == Set(1...1000))
        let packed = String(repeating: "x = 1 ", count: 1000) + "\ny = 1"
        #expect(ChunkLines(try dump(packed))?.lines == [1, 2])
    }

    @Test func `deeply nested functions are read`() throws {
        let depth = 60
        let source =
            String(repeating: "return function()\n", count: depth) + String(repeating: "end\n", count: depth)
        let lines = try #require(ChunkLines(try dump(source))?.lines)
        // Each function is created, and returned, at the end of its text.
        #expect(lines == Set(depth + 1...2 * depth))
    }

    @Test func `bytes that are no chunk are refused`() throws {
        let good = try dump("local a = 1 return function(x) return a + x end")
        #expect(ChunkLines([]) == nil)
        for count in 0..<good.count { #expect(ChunkLines(Array(good[..<count])) == nil) }
        #expect(ChunkLines(good + [0]) == nil)
        var other = good
        other[4] = 0x53
        #expect(ChunkLines(other) == nil)
    }

    @Test func `damaged chunks do no harm`() throws {
        var random = SeededRandom(seed: 11)
        let good = try dump(
            "local t = { a = 1, 'x', 2.5 } for k, v in pairs(t) do print(k, function() return v end) end")
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...random.int(below: 4) {
                bytes[random.int(below: bytes.count)] = UInt8.random(in: 0...255, using: &random)
            }
            if let chunk = ChunkLines(bytes) { #expect(chunk.lines.allSatisfy { $0 > 0 }) }
        }
        let header = Array(good.prefix(32))
        for _ in 0..<5_000 { _ = ChunkLines(header + random.bytes(upTo: 200)) }
    }
}
