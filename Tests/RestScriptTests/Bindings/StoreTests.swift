import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct StoreTests {
    @Test func `values come back as they were, and as copies`() throws {
        try expect(
            """
            local s = rest.store
            print(s:get("none"), s:set("a", { x = { 1, 2 }, y = rest.null }), s:get("a").x[2], s:get("a").y == rest.null)
            s:get("a").x[2] = "spoiled"
            print(s:get("a").x[2], s:set("b", "text"), s:set("c", false), s:get("b"), s:get("c"))
            print(table.concat(s:keys(), " "), table.concat(s:keys("b"), " "))
            print(s:delete("a"), s:delete("a"), s:get("a"), s:set("b", nil), s:get("b"))
            """,
            prints: [
                "nil\ttrue\t2\ttrue", "2\ttrue\ttrue\ttext\tfalse", "a b c\tb", "true\tfalse\tnil\ttrue\tnil",
            ])
    }

    @Test func `incr counts from zero`() throws {
        try expect(
            """
            local s = rest.store
            print(s:incr("n"), s:incr("n"), s:incr("n", 40), s:incr("n", -0.5))
            s:set("n", math.maxinteger)
            print(s:incr("n"))
            s:set("t", "text")
            print(s:incr("t"))
            """, prints: ["1\t2\t42\t41.5", "9.2233720368548e+18", "nil\tthe value of 't' is no number"])
    }

    @Test func `a value with a ttl ends with its time, and incr keeps that`() throws {
        try expect(
            """
            local s = rest.store
            s:set("a", 1, { ttl = 2 })
            rest.after(1, function() print(s:incr("a")) end)
            rest.after(3, function() print(s:get("a"), #s:keys()) end)
            """, seconds: 4, prints: ["2", "nil\t0"])
    }

    @Test func `it outlives a script`() throws {
        let store = ScriptStore()
        for expected in ["nil", "kept"] {
            let fixture = ScriptFixture()
            fixture.options.store = store
            try fixture.load("print(rest.store:get('k')) rest.store:set('k', 'kept')")
            fixture.close()
            #expect(fixture.lines == [expected])
        }
    }

    @Test func `it has a limit, which values whose time is over don't count for`() throws {
        let store = ScriptStore(maxBytes: 1000)
        let value = try Tree(json: "\"" + String(repeating: "x", count: 300) + "\"")
        try store.set(value, for: "a", lifetime: 5, at: 0)
        try store.set(value, for: "b", at: 0)
        #expect(throws: ScriptStore.Failure.full(limit: 1000)) { try store.set(value, for: "c", at: 1) }
        try store.set(value, for: "b", at: 1)
        try store.set(value, for: "c", at: 6)
        #expect(store.keys("", at: 6) == ["b", "c"])
    }

    @Test(arguments: [
        ("rest.store:set('a', print)", "function"), ("rest.store:set('a', 1, { ttl = 0 })", "above 0"),
        ("rest.store:set('a', 1, { tll = 1 })", "did you mean 'ttl'?"), ("rest.store:get()", "'key'"),
        ("rest.store:incr('a', 'b')", "it is a number"), ("rest.store:sett()", "did you mean"),
    ])
    func `a wrong call raises`(source: String, message: String) {
        #expect(loadError(source)?.contains(message) == true, "\(loadError(source) ?? "no error")")
    }
}
