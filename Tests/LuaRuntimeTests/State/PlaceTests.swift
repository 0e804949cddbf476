import LuaRuntime
import Testing

@Suite final class PlaceTests {
    let fixture = Fixture()
    var places: [String] = []

    @Test func `the place of what runs is known, whatever runs`() throws {
        fixture.define("mark") { [unowned self] _ in
            self.places.append(self.fixture.state.runningPlace.map { "\($0.file):\($0.line)" } ?? "none")
            return .results(0)
        }
        try fixture.run("mark()\nlocal co = coroutine.wrap(function()\nmark()\nend)\nco() pcall(mark)")
        try fixture.spawn("\n\nmark()") { _ in }
        #expect(places == ["test.lua:1", "test.lua:3", "test.lua:5", "test.lua:3"])
        #expect(fixture.state.runningPlace == nil && fixture.state.runningPhase == nil)
    }

    @Test func `a coroutine says where it waits`() throws {
        var waiter: LuaWaiter?
        fixture.define("wait") { _ in .suspend { waiter = $0 } }
        let coroutine = try fixture.spawn("\nwait()\ncoroutine.wrap(function()\nwait()\nend)()") { _ in }
        #expect(coroutine.place?.file == "test.lua" && coroutine.place?.line == 2)
        waiter?.resume { _ in 0 }
        #expect(coroutine.place?.line == 4)
        waiter?.resume { _ in 0 }
        #expect(coroutine.place == nil)
    }

    @Test(arguments: [
        ("abc", "b", ["b"]), ("k=v", "(%w)=(%w)", ["k", "v"]), ("abc", "()c", ["3"]), ("abc", "x", []),
        ("", "^$", [""]),
    ])
    func `patterns are matched as scripts do it`(text: String, pattern: String, captures: [String]) throws {
        let lua = fixture.state.main
        try fixture.run("string.match = nil")
        lua.push(text)
        lua.push(pattern)
        let count = try lua.match(-2, -1)
        #expect(try (0..<count).map { try lua.tostring($0 - count) } == captures)
        lua.setTop(0)
    }

    @Test func `a malformed pattern is an error`() {
        let lua = fixture.state.main
        lua.push("a")
        lua.push("[")
        #expect(throws: LuaError.self) { try lua.match(-2, -1) }
        lua.setTop(0)
    }
}
