import TestSupport
import Testing

@testable import RestScript

struct ValueLayoutTests {
    private let name = String(repeating: "n", count: 30)

    @Test func `what fits a line stays on it`() {
        #expect(ValueLayout.text("{ 1, 2, a = { b = 3 } }") == "{ 1, 2, a = { b = 3 } }")
        let long = "\"" + String(repeating: "a, {", count: 40) + "\""
        #expect(ValueLayout.text(long) == long)
    }

    @Test func `tables that don't have a line for each field`() {
        let text =
            "{ { id = 1, login = \"\(name)\" }, { id = 2, login = \"\(name), {\" }, count = 2, empty = {} }"
        #expect(
            ValueLayout.text(text) == """
                {
                  { id = 1, login = "\(name)" },
                  { id = 2, login = "\(name), {" },
                  count = 2,
                  empty = {},
                }
                """)
        let deep = "{ a = { b = { \"\(name)\", \"\(name)\", \"\(name)\" } } }"
        #expect(
            ValueLayout.text(deep) == """
                {
                  a = {
                    b = {
                      "\(name)",
                      "\(name)",
                      "\(name)",
                    },
                  },
                }
                """)
    }

    @Test func `braces that don't fit together change nothing`() {
        let text = "{ error }} " + String(repeating: "x", count: 80)
        #expect(ValueLayout.text(text) == text)
    }

    @Test func `nothing but white space and commas is added, whatever the text`() {
        var random = SeededRandom(seed: 4)
        let pieces = [
            "{ ", " }", ", ", "\"", "\\", "a = ", "name", "é", "{}", String(repeating: "y", count: 30),
        ]
        func bare(_ text: String) -> String { text.filter { $0 != " " && $0 != "\n" && $0 != "," } }
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            #expect(bare(ValueLayout.text(text)) == bare(text))
        }
    }
}
