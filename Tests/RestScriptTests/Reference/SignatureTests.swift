import TestSupport
import Testing

@testable import RestScript

struct SignatureTests {
    private func parameters(_ text: String) -> [String]? {
        Signature(text)?.parameters.map { "\($0.name)\($0.isOptional ? "?" : "")" }
    }

    @Test func `parameters, and which may be left out`() {
        #expect(parameters("()") == [])
        #expect(
            parameters("(path: string, n?: number, text: string?, value, ...)") == [
                "path", "n?", "text?", "value", "...",
            ])
        #expect(parameters("(fn: function(a, b?) -> (true | nil, error), last)") == ["fn", "last"])
        #expect(parameters("(p: integer | function(err) -> boolean, fn)") == ["p", "fn"])
    }

    @Test func `results`() {
        #expect(
            Signature("() -> value | nil, error")?.returns == [
                .union([.named("value"), .named("nil")]), .named("error"),
            ])
        #expect(Signature("() -> value, ...")?.returns == [.named("value"), .many("any")])
        #expect(Signature("() -> captures...")?.returns == [.many("captures")])
        #expect(Signature("() -> request?")?.returns == [.optional(.named("request"))])
        #expect(
            Signature("(list: (a | b)[])")?.parameters.first?.type
                == .list(.union([.named("a"), .named("b")])))
    }

    @Test func `words, values by key, and a table that is described elsewhere`() {
        #expect(Signature.type(#""v4" | "v6""#) == .union([.word("v4"), .word("v6")]))
        #expect(Signature.type("table<string, any[]>") == .map(.named("string"), .list(.named("any"))))
        #expect(
            Signature.type("boolean | { ... }") == .union([.named("boolean"), .table([.init(name: "...")])]))
        for text in [#""v4"#, "table<string>", "table<string, any", "table<>"] {
            #expect(Signature.type(text) == nil, "\(text)")
        }
    }

    @Test func `options: each by its name, alternatives need not be there`() throws {
        let type = try #require(
            Signature("(options?: { body | text, key: string, n? })")?.parameters.first?.type)
        guard case .table(let fields) = type else {
            Issue.record("no table: \(type)")
            return
        }
        #expect(fields.map { "\($0.name)\($0.isOptional ? "?" : "")" } == ["body?", "text?", "key", "n?"])
    }

    @Test(arguments: [
        "", "path", "(", "(a", "(a:)", "(a,)", "(a) ->", "(a) b", "(a b)", "(a: {)", "(a or b)",
    ])
    func `what follows another grammar is none`(text: String) {
        #expect(Signature(text) == nil)
    }

    @Test func `any text comes to an end`() {
        var random = SeededRandom(seed: 9)
        let pieces = [
            "(", ")", "{", "}", "a", "\"", "table", "<", ">", "?", ":", ",", "|", "->", "[]", "...", " ",
            "function", "é", ".",
        ]
        for _ in 0..<5000 {
            _ = Signature(
                "("
                    + (0..<Int.random(in: 0...12, using: &random)).map { _ in
                        pieces.randomElement(using: &random) ?? ""
                    }.joined())
        }
    }
}
