import Platform
import Testing

@testable import LuaRuntime

@Suite struct ArgumentsTests {
    let fixture = Fixture()

    init() {
        fixture.define("resource") { arguments in
            arguments.lua.push(try arguments.string(1, "path"))
            _ = try arguments.optionalNumber(2, "limit")
            return .results(1)
        }
        fixture.define("each") { arguments in
            _ = try arguments.function(1, "fn")
            _ = try arguments.boolean(2, "deep")
            return .results(0)
        }
        fixture.define("use") { arguments in
            _ = try arguments.object(1, "service", as: Thing.self)
            return .results(0)
        }
        fixture.define("cache") { arguments in
            let options = try arguments.options(1)
            let time = try options.number("expiration_time")
            _ = try options.string("name")
            let inner = try options.options("timeouts")
            _ = try inner?.number("connect")
            try inner?.finish()
            try options.finish()
            arguments.lua.push(time ?? -1)
            return .results(1)
        }
    }

    @Test(arguments: [
        ("resource()", "bad argument #1 'path' to 'resource' (string expected, got no value)"),
        ("resource(nil)", "bad argument #1 'path' to 'resource' (string expected, got nil)"),
        ("resource(12)", "bad argument #1 'path' to 'resource' (string expected, got number)"),
        ("resource('a', {})", "bad argument #2 'limit' to 'resource' (number expected, got table)"),
        ("each('x')", "bad argument #1 'fn' to 'each' (function expected, got string)"),
        ("each(print, 1)", "bad argument #2 'deep' to 'each' (boolean expected, got number)"),
        ("use({})", "bad argument #1 'service' to 'use' (thing expected, got table)"),
        ("cache(1)", "bad argument #1 'options' to 'cache' (table expected, got number)"),
        ("cache{ expiration = 1 }", "unknown option 'expiration': did you mean 'expiration_time'?"),
        ("cache{ nmae = 'x' }", "unknown option 'nmae': did you mean 'name'?"),
        ("cache{ q = 1 }", "unknown option 'q': 'cache' knows expiration_time, name, timeouts"),
        ("cache{ 5 }", "unknown option of type number: options have names"),
        ("cache{ name = 5 }", "bad option 'name' to 'cache' (string expected, got number)"),
        (
            "cache{ timeouts = { connect = 'x' } }",
            "bad option 'connect' to 'cache.timeouts' (number expected, got string)"
        ),
        ("cache{ timeouts = { conect = 1 } }", "unknown option 'conect': did you mean 'connect'?"),
    ])
    func `a wrong argument is named`(source: String, message: String) {
        #expect(fixture.failure(of: source)?.description == "test.lua:1: \(message)")
    }

    @Test func `right arguments arrive`() throws {
        #expect(try fixture.run("return resource('a\\0b', nil)") == "a\0b")
        #expect(try fixture.run("return cache{ expiration_time = 2.5, timeouts = { connect = 1 } }") == "2.5")
        #expect(try fixture.run("return cache()") == "-1.0")
    }
}

struct ArgumentCountTests {
    @Test(
        arguments: [
            ("()", 0), ("() -> request", 0), ("(a)", 1),
            ("(a: string, b?: { c, d: function(e, f) -> (g, h) }) -> i, j", 2),
            ("(f: function(...))", 1), ("(t: (a | b)[])", 1), ("", nil), ("(...)", nil),
            ("(fn, ...) -> job", nil),
        ] as [(String, Int32?)])
    func `a signature says how many arguments there are`(signature: String, count: Int32?) {
        #expect(ArgumentCount.limit(signature) == count)
    }
}

struct NearestNameTests {
    private static let fields = [
        "user_message", "http_status_code", "entity", "cause", "timestamp", "url", "method", "attempt",
        "text", "json",
    ]

    @Test(
        arguments: [
            // Misspelled names.
            ("user_mesage", "user_message"), ("metod", "method"), ("jsno", "json"), ("URL", "url"),
            // The beginning of a name, or a name with more text.
            ("time", "timestamp"), ("textual", "text"),
            // One word of a longer name, or the other way round.
            ("message", "user_message"), ("status", "http_status_code"), ("status_code", "http_status_code"),
            ("error_cause", "cause"),
            // Names that resemble no known one.
            ("zzzzzz", nil), ("_", nil), ("", nil), ("x", nil),
        ] as [(String, String?)])
    func `a name stands for the one that is meant`(name: String, meant: String?) {
        #expect(
            NearestName.advice(name, among: Self.fields) == (meant.map { ": did you mean '\($0)'?" } ?? ""))
    }
}
