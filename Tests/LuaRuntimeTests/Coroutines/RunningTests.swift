import Testing

@testable import LuaRuntime

/// Functions whose results are not used. One coroutine runs them one after the other.
@Suite struct RunningTests {
    let fixture = Fixture()

    init() {
        fixture.define("pause") { [unowned fixture] _ in .suspend { fixture.later.append($0) } }
    }

    private func run(_ source: String) throws -> LuaCoroutine? {
        let function = try fixture.state.compile(source, chunk: "test.lua")
        return try fixture.state.run(phase: Fixture.phase, in: fixture.state.mainSandbox) { lua in
            lua.push(function)
            return 0
        }
    }

    @Test func `one that never waits leaves nothing to hold, and the next uses what it used`() throws {
        for number in 1...3 { #expect(try run("print(\(number))") == nil) }
        #expect(fixture.printed == "1\n2\n3\n")
        #expect(fixture.state.idleCoroutine != nil && fixture.state.idleThreads.count == 1)
        #expect(fixture.state.close().isClean)
    }

    @Test func `what it raises is thrown, and the next one is not concerned`() throws {
        let error = #expect(throws: LuaError.self) { try run("error('no')") }
        #expect(error?.message == "no")
        #expect(try run("print('fine')") == nil)
        #expect(fixture.printed == "fine\n")
    }

    @Test func `a waiting one is notified when it ends, whatever runs meanwhile`() throws {
        let first = try #require(try run("pause() print('first') error('late')"))
        #expect(first.isWaiting)
        var ends: [String] = []
        first.whenFinished { _, result in
            if case .failure(let error) = result { ends.append(error.message) }
        }
        let second = try #require(try run("pause() print('second')"))
        second.whenFinished { _, _ in ends.append("second") }
        #expect(try run("print('between')") == nil)
        for waiter in fixture.later.reversed() { waiter.resume { _ in 0 } }
        #expect(fixture.printed == "between\nsecond\nfirst\n" && ends == ["second", "late"])
        #expect(fixture.state.close().isClean)
    }

    @Test func `nested ones are several`() throws {
        fixture.define("inner") { [unowned fixture] arguments in
            arguments.lua.pushValue(at: 1)
            let function = arguments.lua.reference(arguments.lua.top)
            _ = try fixture.state.run(phase: Fixture.phase, in: fixture.state.mainSandbox) { lua in
                lua.push(function)
                return 0
            }
            return .results(0)
        }
        let source = "inner(function() inner(function() print('c') end) print('b') end) print('a')"
        #expect(try run(source) == nil)
        #expect(fixture.printed == "c\nb\na\n")
        #expect(fixture.state.close().isClean)
    }

    @Test func `a waiter that a wait left behind reaches nobody`() throws {
        fixture.define("refused") { [unowned fixture] _ in .suspend { fixture.later.append($0) } }
        #expect(throws: LuaError.self) { try run("table.sort({ 3, 2, 1 }, function() refused() end)") }
        #expect(try run("print('fine')") == nil)
        for waiter in fixture.later { waiter.resume { _ in 0 } }
        let waiting = try #require(try run("pause() print('went on')"))
        waiting.whenFinished { _, _ in }
        fixture.later.last?.resume { _ in 0 }
        #expect(fixture.printed == "fine\nwent on\n")
        #expect(fixture.state.close().isClean)
    }
}
