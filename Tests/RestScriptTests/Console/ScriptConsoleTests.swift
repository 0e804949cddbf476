import RestEngine
import TestSupport
import Testing

@testable import RestScript

@EngineActor
@Suite(.leakChecked)
struct ScriptConsoleTests {
    private let fixture = ScriptFixture()

    private func console(_ source: String = "") throws -> ScriptConsole {
        try fixture.load(source)
        return ScriptConsole(try #require(fixture.host))
    }

    /// The result of a piece: its values, its error, or its state.
    private func take(_ piece: String, _ console: ScriptConsole) -> String {
        var text = "waits"
        console.evaluate(piece) { outcome in
            switch outcome {
            case .incomplete: text = "incomplete"
            case .done(let values): text = values.joined(separator: " ")
            case .failed(let diagnostic): text = "\(diagnostic.line ?? 0): \(diagnostic.message)"
            case .cancelled: text = "cancelled"
            }
        }
        return text
    }

    @Test func `expressions show their values, statements nothing`() throws {
        let console = try console()
        for (piece, shown) in [
            ("1 + 1", "2"), ("'a', nil, { 1, b = 2 }", #""a" nil { 1, b = 2 }"#), ("x = 3", ""), ("x", "3"),
            ("= x", "3"), ("do local y = 1 end", ""), ("y", "nil"), ("-- nothing", ""),
            ("api", "service api"),
            ("rest.version == nil", "false"), ("#tostring(rest.now)  > 0", "true"), ("return 4", "4"),
        ] { #expect(take(piece, console) == shown) }
        fixture.close()
    }

    @Test(arguments: ["f(", "{ 1,", "for i = 1, 2 do", "function f()", "x =", "if x then", "[[ long", "x +"])
    func `what is not complete asks for more`(piece: String) throws {
        let console = try console()
        #expect(take(piece, console) == "incomplete")
        fixture.close()
    }

    @Test func `errors are reported with their line, and nothing ends`() throws {
        let console = try console()
        #expect(take("x = = 1", console) == "1: unexpected symbol near '='")
        #expect(take("\nlocal t\nreturn t.x", console) == "3: attempt to index a nil value (local 't')")
        #expect(take("error({ code = 1 })", console) == "1: { code = 1 }")
        #expect(take("error(rest.error { user_message = 'Mine' })", console) == "1: Mine")
        #expect(take("rest.servce", console) == "1: unknown field 'servce' on rest: did you mean 'service'?")
        #expect(take("1", console) == "1")
        fixture.close()
    }

    @Test func `the console's globals may be set, the script's only be read`() throws {
        let console = try console("shared = 5 function get() return shared end")
        #expect(take("shared", console) == "5")
        #expect(take("shared = 6 return shared, get()", console) == "6 5")
        #expect(take("print = 1 return print", console) == "1")
        #expect(take("string.x = 1", console).contains("cannot change 'string.x'"))
        fixture.close()
    }

    @Test func `waits work, one that is cancelled ends, and both leave the console as it was`() throws {
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/a", .json(200, #"{"n":1}"#))
        let console = try console()
        var shown: [String] = []
        console.evaluate("api:resource('/a'):get()") { if case .done(let values) = $0 { shown = values } }
        fixture.settle()
        #expect(shown == ["{ n = 1 }"])
        var isCancelled = false
        console.evaluate("rest.sleep(60)") { if case .cancelled = $0 { isCancelled = true } }
        #expect(!isCancelled)
        console.cancel()
        #expect(isCancelled)
        console.cancel()
        #expect(take("2", console) == "2")
        fixture.close()
    }

    @Test func `a host that is closed cancels what waits`() throws {
        let console = try console()
        var isCancelled = false
        console.evaluate("rest.sleep(60)") { if case .cancelled = $0 { isCancelled = true } }
        fixture.close()
        #expect(isCancelled)
        #expect(take("1", console) == "cancelled")
        #expect(console.completions(of: "re") == [])
    }

    @Test(
        arguments: [
            ("loc", ["local"]), ("mine", ["mine_a", "mine_b"]), ("string.rep", ["rep"]), ("t.fi", ["field"]),
            ("x = t.deep.", ["er"]), ("api:res", ["resource", "resource_at"]), ("api.ba", ["base_url"]),
            ("t:r", ["run"]), ("text:upp", ["upper"]), ("nothing.a", []), ("f().a", []),
            ("rest.log.de", ["debug"]),
            ("", nil), ("1.", []), ("'a", nil), ("api.name.", nil), ("..", []), ("a..b", nil),
        ] as [(String, [String]?)])
    func `names are completed`(text: String, expected: [String]?) throws {
        let console = try console(
            "mine_a = 1 t = { field = 1, deep = { er = 2 }, run = print, ['no name'] = 3 } text = 'x'")
        _ = take("mine_b = 2", console)
        let found = console.completions(of: text)
        if let expected { #expect(found == expected) }
        fixture.close()
    }

    @Test func `a service's variable is a name`() throws {
        try fixture.load(
            "rest.service { name = 'my-api.2', base_url = 'http://a.test' } rest.service { name = '2x' }")
        #expect(fixture.host?.services.map(ScriptConsole.variable) == ["api", "my_api_2", "_2x"])
        fixture.close()
    }
}
