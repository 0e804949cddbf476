import TestSupport
import Testing

@testable import resthost

struct TOMLTests {
    private func value(_ text: String) throws -> TOMLDocument.Value? {
        try TOMLDocument("k = \(text)").entries.first?.value
    }

    @Test func `a document has tables, names and values with their lines`() throws {
        let document = try TOMLDocument(
            """
            # settings
            top = 1

            [permissions]  # of the script
            read = [
              "data",  # one
              'C:\\x',
            ]
            "quoted name" = true\r
            [limits]
            memory = "512M"
            """)
        #expect(document.tables.map(\.name) == ["permissions", "limits"])
        #expect(document.tables.map(\.line) == [4, 10])
        #expect(
            document.entries == [
                .init(table: "", key: "top", value: .integer(1), line: 2),
                .init(
                    table: "permissions", key: "read", value: .array([.string("data"), .string("C:\\x")]),
                    line: 5),
                .init(table: "permissions", key: "quoted name", value: .boolean(true), line: 9),
                .init(table: "limits", key: "memory", value: .string("512M"), line: 11),
            ])
        #expect(try TOMLDocument("").entries.isEmpty)
    }

    @Test(arguments: [
        ("\"a\\tb\\\"\\\\\\u00e9\\U0001F600\"", TOMLDocument.Value.string("a\tb\"\\é😀")), ("''", .string("")),
        ("'a\\tb'", .string("a\\tb")), ("-1_000", .integer(-1000)), ("+7", .integer(7)), ("0", .integer(0)),
        ("0.5", .float(0.5)), ("1e3", .float(1000)), ("-2.5E-1", .float(-0.25)), ("true", .boolean(true)),
        ("false", .boolean(false)), ("[]", .array([])),
        ("[1, [2], \"a\",]", .array([.integer(1), .array([.integer(2)]), .string("a")])),
    ])
    func `values`(text: String, expected: TOMLDocument.Value) throws {
        #expect(try value(text) == expected)
    }

    @Test(arguments: [
        ("k", 1, "'=' is missing after 'k'"), ("k =", 1, "a value is missing"),
        ("\n= 1", 2, "a name is missing"),
        ("k = 1 2", 1, "the line goes on where it should end"), ("k = \"a", 1, "the string has no end"),
        ("k = \"a\nb\"", 1, "the string has no end on its line"), ("k = \"\\q\"", 1, "an unknown escape"),
        ("k = \"\\ud800\"", 1, "'d800' is no code point"), ("k = [1\n", 2, "']' is missing"),
        ("k = [1 2]", 1, "',' or ']' is missing"), ("[a", 1, "']' is missing after the table's name"),
        ("[a]\n[a]", 2, "the table 'a' is there twice"), ("a = 1\na = 2", 2, "'a' is there twice"),
        ("a.b = 1", 1, "dotted names are not known here: write a table, [a]"),
        ("[[a]]", 1, "arrays of tables are not known here"),
        ("k = {a = 1}", 1, "inline tables are not known here"),
        ("k = \"\"\"a\"\"\"", 1, "strings of several lines are not known here"),
        ("k = 2020-01-01", 1, "'2020-01-01' is no value"), ("k = 01", 1, "'01' is no value"),
        ("k = 1_", 1, "'1_' is no value"),
        ("k = .5", 1, "'.5' is no value"), ("k = 5.", 1, "'5.' is no value"),
        ("k = yes", 1, "'yes' is no value"),
        ("k = inf", 1, "'inf' is no value"), ("k = 0x10", 1, "'0x10' is no value"),
        ("k = 99999999999999999999e999", 1, "'99999999999999999999e999' is no value"),
        ("k = " + String(repeating: "[", count: 40), 1, "arrays are too deep"),
    ])
    func `what is wrong is reported with its line`(text: String, line: Int, message: String) {
        let failure = #expect(throws: TOMLDocument.Fault.self) { try TOMLDocument(text) }
        #expect(failure?.line == line)
        #expect(failure?.message.hasPrefix(message) == true, "\(String(describing: failure))")
    }

    @Test func `no text breaks the reader`() {
        var random = SeededRandom(seed: 71)
        let alphabet = "[]{}=\"'\\#,.\n\r\t _-+abtuU019eE:é\u{0}\u{7f}"
        var read = 0
        for _ in 0..<20_000 {
            let text = random.text(of: alphabet, upTo: 40)
            if let document = try? TOMLDocument(text), !document.entries.isEmpty { read += 1 }
        }
        let base = "a = 1\n[t]\nb = [\"x\", 'y', 2.5, true]\nc = \"\\u00e9\"\n"
        for _ in 0..<20_000 {
            var scalars = Array(base.unicodeScalars)
            for _ in 0...random.int(below: 4) {
                let other = Array(alphabet.unicodeScalars)
                let place = random.int(below: scalars.count)
                switch random.int(below: 3) {
                case 0: scalars.remove(at: place)
                case 1: scalars.insert(other[random.int(below: other.count)], at: place)
                default: scalars[place] = other[random.int(below: other.count)]
                }
            }
            if (try? TOMLDocument(String(String.UnicodeScalarView(scalars)))) != nil { read += 1 }
        }
        #expect(read > 1000)
    }
}
