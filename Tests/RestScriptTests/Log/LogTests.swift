import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct LogTests {
    @Test func `log lines have level, text, fields and place`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.log.debug("d")
            rest.log.info(5, { b = 1, a = "x", c = { 1, { k = true } } })
            local function helper() rest.log.warn(nil) end helper()
            rest.log.error(rest.error { user_message = "Mine" }, nil)
            print("a", nil, 1)
            io.write("no line end")
            """)
        fixture.close()
        let log = fixture.log
        #expect(log.map(\.level) == [.debug, .info, .warn, .error, .info, .info])
        #expect(log.map(\.text) == ["d", "5", "nil", "Mine", "a\tnil\t1", "no line end"])
        #expect(
            log.map(\.place) == ["test.lua:1", "test.lua:2", "test.lua:3", "test.lua:4", nil, nil])
        #expect(log[1].fields.map(\.name) == ["a", "b", "c"])
        #expect(log[1].fields.map(\.value) == ["x", "1", "[1,{\"k\":true}]"])
    }

    @Test func `26.2 26.3 26.6 scripts choose categories of the engine's log and write to them`() throws {
        let fixture = ScriptFixture()
        var engineLog: [String] = []
        fixture.engine.log.handler = { engineLog.append("\($0.rawValue): \($1)") }
        try fixture.load(
            """
            print(table.concat(rest.log.categories("common"), ","))
            rest.log.write("network", "seen")
            rest.log.write("pipeline", "not seen")
            print(table.concat(rest.log.categories({ "cache", "pipeline" }), ","))
            rest.log.write("pipeline", 5)
            print(table.concat(rest.log.categories("none"), ","))
            print(table.concat(rest.log.categories(), ","))
            print(select(2, pcall(rest.log.categories, "pipelin")))
            print(select(2, pcall(rest.log.write, "warning", "x")))
            """)
        fixture.close()
        #expect(engineLog == ["network: seen", "pipeline: 5"])
        let known =
            "none, common, detailed, all, network, network_details, pipeline, state_changes, observers, "
            + "staleness, cache, configuration"
        #expect(
            fixture.lines == [
                "", "network,staleness,state_changes", "cache,pipeline", "",
                "unknown log category 'pipelin': there are \(known)",
                "unknown log category 'warning': there are \(known)",
            ])
    }

    @Test(arguments: [
        ("rest.log.info()", "bad argument #1 'text' to 'rest.log.info' (value expected)"),
        (
            "rest.log.info('a', 'b')",
            "bad argument #2 'fields' to 'rest.log.info' (table expected, got string)"
        ),
    ])
    func `a wrong call raises`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }

    @Test func `the environment shows what was granted`() throws {
        let fixture = ScriptFixture()
        fixture.options.environment = ["A": "1", "B": "2"]
        fixture.options.grantedEnvironment = ["A", "C"]
        try fixture.load(
            """
            print(rest.env.A, rest.env.C, os.getenv("A"), os.getenv("B"), os.getenv("B"), os.getenv("C"))
            print(pcall(function() return rest.env.B end))
            print(pcall(function() rest.env.A = "x" end))
            """)
        fixture.close()
        #expect(
            fixture.lines == [
                "warn: os.getenv returns nil for 'B': reading this environment variable is not allowed: grant it with "
                    + "--allow-env B",
                "1\tnil\t1\tnil\tnil\tnil",
                "false\ttest.lua:2: reading the environment variable 'B' is not allowed: grant it with --allow-env B",
                "false\ttest.lua:3: the environment can't be changed",
            ])
        #expect(fixture.log.first?.place == "test.lua:1")
    }

    @Test func `nothing is granted by default, everything when no list is given`() throws {
        #expect(
            loadError("print(rest.env.HOME)")
                == "1: reading the environment variable 'HOME' is not allowed: grant it with --allow-env HOME"
        )
        let fixture = ScriptFixture()
        fixture.options.environment = ["A": "1"]
        fixture.options.grantedEnvironment = nil
        try fixture.load("print(rest.env.A, rest.env.NOT)")
        fixture.close()
        #expect(fixture.lines == ["1\tnil"])
    }
}
