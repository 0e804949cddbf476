import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionMakerTests {
    @Test(arguments: [
        (#"api:define("GET", "{login}/repos")("octocat").url"#, "octocat/repos"),
        (#"api:define("GET", "{login}/repos"){ login = "octo cat" }.url"#, "octo%20cat/repos"),
        (#"api:define("GET", "{a}/{b}")(1, true).url"#, "1/true"),
        (#"api:define("GET", "{a}/{b}/{a}")("x", 2.0).url"#, "x/2/x"),
        (#"api:define("GET", "{a}")(rest.raw "x%2Fy").url"#, "x%2Fy"),
        (
            #"api:endpoint("e", { path = { "i" } }):define("GET", "{a}", { path = { "o" } })("t").url"#,
            "e/i/t/o"
        ),
        (#"api:define("GET", function() end)().url"#, ""),
        (#"api:define("GET", "x", function(a) return { path = { a } } end)("y").url"#, "x/y"),
        (
            #"api:define("GET", "{a}", function(a, page) return { query = { { "p", page } } } end)("y", 2).url"#,
            "y?p=2"
        ),
        (
            #"api:define("GET", "{a}", function(t) return { query = { { "p", t.page } } } end){ a = "y", page = 2 }.url"#,
            "y?p=2"
        ),
        (#"api:define("GET", function(...) return { path = { ... } } end)("a", 1, true).url"#, "a/1/true"),
        (#"api:define("GET", function(n) return { query = { { "n", n } } } end)(nil).url"#, ""),
        (#"tostring(api:define("GET", "{a}/b")):sub(5)"#, "{a}/b"),
    ]) func `37.6 37.7 makers are called with values`(expression: String, rest: String) throws {
        try expect("print(\(expression))", prints: ["https://api.test/v1/" + rest])
    }

    @Test func `what a function raises is its own, and it can't wait`() throws {
        try expect(
            """
            local wrong = api:define("GET", function() error("mine") end)
            print(select(2, pcall(wrong)))
            local waits = api:define("GET", function() rest.sleep(1) end)
            rest.spawn(function() print((select(2, pcall(waits)))) end)
            """,
            prints: [
                "test.lua:1: mine",
                "test.lua:3: cannot wait here: a function of a definition gives properties at once; wait for what it needs before the call",
            ])
    }
}
