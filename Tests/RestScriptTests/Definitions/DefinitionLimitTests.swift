import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionLimitTests {
    @Test(arguments: [
        ("{ query = { { 'k', big } } }", "the query of a definition has 10000 values at most"),
        ("{ query = pairs_ }", "the query of a definition has 10000 values at most"),
        ("{ query = { { 'k', ('x'):rep(2^20) } } }", "the query of a definition takes 1 MiB at most"),
        ("{ path = big }", "the path of a definition has 1000 components at most"),
        ("{ path = { ('x'):rep(2^21) } }", "the path of a definition takes 1 MiB at most"),
        ("{ headers = { X = big } }", "these headers are more than 1000 fields, which is the limit"),
        ("{ headers = { X = ('x'):rep(2^21) } }", "these headers take more than 1 MiB, which is the limit"),
        (
            "{ headers = { X = ('x'):rep(2^19), Y = ('x'):rep(2^20) } }",
            "these headers take more than 1 MiB, which is the limit"
        ),
        (
            "{ form = { a = ('x'):rep(2^21), b = ('x'):rep(2^21) } }",
            "the fields of a form take 4 MiB at most"
        ),
    ]) func `34.6 limits have names`(properties: String, message: String) {
        let source = """
            local big, pairs_ = {}, {}
            for i = 1, 100000 do big[i] = i pairs_[i] = { "k", i } end
            api:define("GET", \(properties))
            """
        #expect(loadError(source) == "3: " + message)
    }

    @Test func `34.6 the additions of modifiers are limited too`() throws {
        try expect(
            """
            local d = api:define("GET")
            local count = 0
            while pcall(function() d = d:with_configuration(print) end) do count = count + 1 end
            print(count)
            d = api:define("GET")
            for i = 1, 2000 do d = d:setting_query("k", i) end
            print(d.url)
            """, prints: ["100", "https://api.test/v1/?k=2000"])
    }

    @Test func `kept definitions count for the script's memory`() throws {
        let fixture = ScriptFixture()
        fixture.options.memoryLimit = 16 << 20
        let failure = fixture.failure(
            of: """
                local kept = {}
                for i = 1, 1000000 do kept[i] = api:define("GET", { query = { { "k", i } } }) end
                """)
        #expect(failure?.message.contains("not enough memory") == true)
    }
}
