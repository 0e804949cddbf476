import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `rest.all` of a list with nils. A nil stands for a load that isn't needed, and counts as done.
@Suite(.leakChecked) @EngineActor
struct HoleTests {
    /// `show(…)` prints the results of `rest.all`.
    private func output(_ body: String) throws -> [String] {
        try RestScriptTests.output(
            """
            local function show(list, err, some)
              list = list or some
              local texts = {}
              for i = 1, list.n do texts[i] = type(list[i]) == "userdata" and list[i].content or tostring(list[i]) end
              print(list.n, table.concat(texts, " "), err and err.http_status_code)
            end
            local text, missing = api:resource("text"), api:resource("missing")
            rest.spawn(function()
              \(body)
            end)
            """)
    }

    @Test func `fresh resources leave holes, and the others keep their places`() throws {
        #expect(
            try output(
                """
                text:load():await()
                local json = api:resource("bytes")
                show(rest.all { text:load_if_needed(), function() return 2 end })
                show(rest.all { function() return 1 end, text:load_if_needed(), text:load() })
                show(rest.all { text:load_if_needed(), missing:load_if_needed(), function() end })
                """) == ["2\tnil 2\tnil", "3\t1 nil hello\tnil", "3\tnil false false\t404"])
    }

    @Test func `what get gave is no request`() throws {
        let advice = "get() and await() wait by themselves and give what came"
        try expect(
            """
            rest.spawn(function()
              for _, path in ipairs { "json", "text", "missing" } do
                local ok, message = pcall(rest.all, { api:resource(path):get() })
                print(message:match("item %d is an? %w+"), message:find("\(advice)", 1, true) ~= nil)
              end
            end)
            """, prints: ["item 1 is a table\ttrue", "item 1 is a string\ttrue", "item 2 is an error\ttrue"])
    }

    @Test func `a list of nils is done at once`() throws {
        #expect(
            try output(
                """
                text:load():await()
                show(rest.all { text:load_if_needed(), text:load_if_needed() })
                show(rest.all { n = 2, text:load_if_needed(), text:load_if_needed() })
                show(rest.all(table.pack(nil, nil, function() return 3 end, nil)))
                show(rest.all {})
                """) == ["0\t\tnil", "2\tnil nil\tnil", "4\tnil nil 3 nil\tnil", "0\t\tnil"])
    }

    @Test func `the results are a list in JSON too, with null in the holes`() throws {
        #expect(
            try output(
                """
                print(rest.json.encode(rest.all { function() return 1 end, nil, function() return 3 end }))
                print(rest.json.encode(rest.all { n = 2 }), rest.json.encode(rest.all {}))
                """) == ["[1,null,3]", "[null,null]\t[]"])
    }

    @Test(arguments: [
        ("{ x = 1 }", "it has no place for the key 'x'"),
        ("{ n = 'two' }", "its 'n' is the number of its items"),
        ("{ n = 1, print, print }", "its 'n' is 1, and it has an item 2"),
        ("{ [1 << 40] = print }", "a list has 100000 places at most: do the rest when these are done"),
        ("{ n = 1 << 40 }", "a list has 100000 places at most: do the rest when these are done"),
        ("{ 5 }", "item 1 is a number, not a request or a function"),
        ("{ nil, 5 }", "item 2 is a number, not a request or a function"),
    ])
    func `what is no such list`(list: String, message: String) throws {
        let lines = try output("print(pcall(rest.all, \(list)))")
        #expect(lines == ["false\tbad argument #1 'list' to 'rest.all' (\(message))"])
    }
}
