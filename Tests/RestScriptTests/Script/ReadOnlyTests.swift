import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Values that a script can't change: its globals after loading, and `rest` at any time.
@Suite(.leakChecked) @EngineActor
struct ReadOnlyTests {
    @Test func `globals of the main file are set while it is loaded, and read afterwards`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            count = 1
            function helper() return count end
            rest.spawn(function()
              print(helper(), count)
              local ok, message = pcall(function() count = 2 end)
              print(message)
              total = 5
            end)
            """)
        fixture.settle()
        #expect(
            fixture.lines == [
                "1\t1",
                "test.lua:5: cannot change the global 'count' once the script is loaded: write 'local count' at the top of its file",
                "error: a job: cannot make 'total' a global once the script is loaded: write 'local total'",
            ])
        fixture.close()
    }

    @Test(arguments: [
        "rest.version = 1", "rest.service = nil", "rest.json.encode = nil", "rawset(rest, 'version', 1)",
        "rawset(rest.json, 'encode', print)", "rest.mine = 1", "table.insert(rest, 1)",
        "setmetatable(rest, nil)",
        "getmetatable(rest).__index = nil", "rest.env.HOME = 1", "rest.log.info = print",
    ])
    func `nothing in rest can be changed`(source: String) throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            print(pcall(function() \(source) end))
            for name, value in pairs(rest) do assert(rest[name] == value) end
            for name, value in pairs(rest.json) do assert(rest.json[name] == value) end
            print(type(rest.service), rest.json.encode({ 1 }), type(rest.version), pcall(function() return rest.nothing end))
            """)
        #expect(fixture.lines.first?.hasPrefix("false\t") == true, "\(fixture.lines)")
        #expect(
            fixture.lines.last?.hasPrefix("function\t[1]\tstring\tfalse\t") == true, "\(fixture.lines)")
        fixture.close()
    }
}
