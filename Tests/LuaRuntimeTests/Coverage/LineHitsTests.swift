import TestSupport
import Testing

@testable import LuaRuntime

@Suite final class LineHitsTests {
    let files = TemporaryFolder()
    let fixture = Fixture()

    init() {
        fixture.state.coverLines()
        fixture.state.mainSandbox.isCovered = true
    }

    private func hits(_ path: String = "test.lua") -> [Int: Int] {
        fixture.state.lineHits.first { $0.path == path }?.counts ?? [:]
    }

    /// Lines that end in `--1` have code that is reached; lines that end in `--0` have code that isn't.
    private func expected(_ source: String) -> [Int: Bool] {
        var reached: [Int: Bool] = [:]
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasSuffix("--1") { reached[index + 1] = true }
            if line.hasSuffix("--0") { reached[index + 1] = false }
        }
        return reached
    }

    private static let sources = [
        """
        local n = 0 --1

        for i = 1, 3 do --1
          n = n + i --1
        end
        -- a remark
        if n > 100 then --1
          n = 0 --0
        else
          n = 1 --1
        end
        return n --1
        """,
        """
        local function used(x)
          if x then --1
            return 1 --1
          end
          return 2 --1
        end --1
        local function never(...)
          local t = { --0
            a = 1, --0
          }
          return function()
            return t --0
          end --0
        end --1
        used(true) used(false) --1
        """,
        """
        local t = setmetatable({}, { --1
          __index = function(_, k)
            return k --1
          end --1
        })
        return t.a --1
        """,
        """
        local co = coroutine.wrap(function() --1
          for i = 1, 2 do --1
            coroutine.yield(i) --1
          end
        end) --1
        while co() do end --1
        """,
    ]

    @Test(arguments: sources)
    func `each line with code is counted, reached or not`(source: String) throws {
        try fixture.run(source)
        #expect(hits().mapValues { $0 > 0 } == expected(source))
    }

    @Test func `counts are exact`() throws {
        try fixture.run("local n = 0\nfor i = 1, 3 do\n  n = n + i\nend\nreturn n")
        #expect(hits() == [1: 1, 2: 4, 3: 3, 5: 1])
    }

    @Test func `a file that is compiled again goes on with its counts`() throws {
        let source = "local x = 1\nreturn x"
        try fixture.run(source)
        try fixture.run(source)
        #expect(hits() == [1: 2, 2: 2])
    }

    @Test func `modules of a covered sandbox count, other sandboxes and text of scripts don't`() throws {
        files.write("m.lua", "local m = {}\nfunction m.f()\n  return 1\nend\nreturn m")
        fixture.state.mainSandbox.searchRoots = [files.path]
        try fixture.run("require('m') load('local a = 1\\nreturn a', 'loaded')()")
        let other = fixture.state.makeSandbox()
        let lua = fixture.state.main
        lua.push(try other.compile("return 1", chunk: "other.lua"))
        try lua.call(arguments: 0, results: 0, phase: Fixture.phase)
        #expect(hits(files.path + "/m.lua") == [1: 1, 2: 1, 3: 0, 4: 1, 5: 1])
        #expect(Set(fixture.state.lineHits.map(\.path)) == ["test.lua", files.path + "/m.lua"])
    }

    @Test func `coroutines count, waiting ones and those of scripts`() throws {
        var waiter: LuaWaiter?
        fixture.define("wait") { _ in .suspend { waiter = $0 } }
        try fixture.spawn("local a = 1\nwait()\ncoroutine.wrap(function()\n  wait()\n  a = 2\nend)()") { _ in
        }
        waiter?.resume { _ in 0 }
        #expect(hits()[4] == 1 && hits()[5] == 0)
        waiter?.resume { _ in 0 }
        #expect(hits().values.allSatisfy { $0 > 0 } && hits()[5] == 1)
        waiter = nil
        #expect(fixture.state.close().isClean)
    }

    @Test(arguments: [
        "while true do end", "while true do pcall(function() while true do end end) end",
        "local co = coroutine.wrap(function() while true do end end) co()",
    ])
    func `a budget ends what is counted, and counting goes on`(loop: String) throws {
        let short = RunPhase(name: "short", mayWait: false, budgetSeconds: 0.03)
        let error = try #require(fixture.failure(of: loop, chunk: "loop.lua", phase: short))
        #expect(error.kind == .budget)
        #expect((hits("loop.lua")[1] ?? 0) > 1000)
        for round in 1...3 {
            try fixture.run("local a = 1\nreturn a")
            #expect(hits() == [1: round, 2: round])
        }
        #expect(fixture.state.close().isClean)
    }

    @Test func `without counting there is nothing`() throws {
        let plain = Fixture()
        plain.state.mainSandbox.isCovered = true
        try plain.run("return 1")
        #expect(plain.state.lineHits.isEmpty)
        plain.state.close()
        #expect(plain.state.lineHits.isEmpty)
    }

    @Test func `a chunk that does not compile is no file`() {
        _ = fixture.failure(of: "local x = = 1")
        #expect(fixture.state.lineHits.isEmpty)
    }
}
