import Testing

@testable import LuaRuntime

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
