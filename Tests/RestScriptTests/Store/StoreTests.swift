import RestEngine
import Synchronization
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

    // MARK: Kept in a file

    /// A store's content when it is opened again.
    private final class Journal: Sendable {
        let entries = Mutex<[String: (value: Tree, expiresAt: Double?)]>([:])

        func open(_ maxBytes: Int) -> ScriptStore {
            let items = entries.withLock { $0 }.map { key, entry in
                ScriptStore.Item(key: key, value: entry.value, expiresAt: entry.expiresAt)
            }
            return ScriptStore(maxBytes: maxBytes, items: items) { key, value, expiresAt in
                self.entries.withLock { $0[key] = value.map { ($0, expiresAt) } }
            }
        }
    }

    @Test func `an opened store has the same calls, and is there again in another process`() throws {
        let journal = Journal()
        func run(_ source: String) throws -> [String] {
            let fixture = ScriptFixture()
            fixture.options.openStore = { journal.open($0.maxBytes) }
            try fixture.load("local s = rest.store.open('state.db') " + source)
            fixture.advance(6)
            fixture.close()
            return fixture.lines
        }
        #expect(
            try run(
                """
                print(s, s:set("a", { 1, "x" }), s:incr("n"), s:incr("n", 2), s:set("t", 1, { ttl = 5 }), s:set("u", 1, { ttl = 500 }))
                print(table.concat(s:keys(), " "), s:get("a")[2], s:get("none"), rest.store:get("a"), #rest.store:keys())
                s:set("gone", 1) print(s:delete("gone"), s:delete("gone"), s:set("b", 1), s:set("b", nil))
                rest.after(6, function() print(table.concat(s:keys(), " ")) end)
                """) == [
                    "store state.db\ttrue\t1\t3\ttrue\ttrue", "a n t u\tx\tnil\tnil\t0",
                    "true\tfalse\ttrue\ttrue",
                    "a n u",
                ])
        #expect(
            try run("print(table.concat(s:keys(), ' '), s:get('a')[1], s:incr('n'))") == ["a n u\t1\t4"])
    }

    @Test(arguments: [
        ("rest.store.open()", "bad argument #1 'path' to 'rest.store.open' (string expected, got no value)"),
        ("rest.store.open('')", "the path of rest.store.open is empty"),
        ("rest.store.open('a', { max_byte = 1 })", "unknown option 'max_byte': did you mean 'max_bytes'?"),
        ("rest.store.open('a', { max_bytes = 0 })", "option 'max_bytes' is from 1 to 1073741824"),
        ("rest.store.open('a')", "rest.store.open is not available in this program: use rest.store"),
    ])
    func `wrong calls of open`(source: String, message: String) {
        #expect(loadError("local s = \(source)")?.hasPrefix("1: \(message)") == true)
    }

    @Test func `one that can't be opened is an error at its line; a full one says how much it holds`() throws
    {
        let fixture = ScriptFixture()
        fixture.options.openStore = { _ in throw ScriptStoreError.notANumber }
        #expect(
            fixture.failure(of: "local s = rest.store.open 'x'")?.message
                == "rest.store.open can't use 'x': notANumber")
        fixture.options.openStore = { ScriptStore(maxBytes: $0.maxBytes) }
        try fixture.load("print(rest.store.open('x', { max_bytes = 2 << 20 }):set('a', ('x'):rep(3 << 20)))")
        fixture.close()
        #expect(fixture.lines == ["nil\tthe store is full: it holds 2 MiB"])
    }

    @Test func `a test's host keeps its stores in memory`() async throws {
        let lines = try await testResults(
            """
            local t = require "resthost.test"
            t.test("one", function()
              local rest = t.load({ source = "" }).rest
              rest.store.open("a/state.db"):set("k", 1)
              t.equal(rest.store.open("a/state.db"):get("k"), 1)
              t.equal(rest.store.open("other.db"):get("k"), nil)
            end)
            t.test("two", function()
              t.equal(t.load({ source = "" }).rest.store.open("a/state.db"):get("k"), nil)
            end)
            """)
        #expect(lines == ["ok one", "ok two"], "\(lines)")
    }

    @Test func `it has a limit, which values whose time is over don't count for`() throws {
        let store = ScriptStore(maxBytes: 1000)
        let value = try Tree(json: "\"" + String(repeating: "x", count: 300) + "\"")
        try store.set(value, for: "a", lifetime: 5, at: 0)
        try store.set(value, for: "b", at: 0)
        #expect(throws: ScriptStoreError.full(limit: 1000)) { try store.set(value, for: "c", at: 1) }
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
