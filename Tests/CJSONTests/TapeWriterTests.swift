import RestEngine
import TestSupport
import Testing

/// Text is parsed in one of two ways. The second takes over when the first finds much that it parses slowly.
@Suite struct TapeWriterTests {
    /// A value in its shortest spelling, and in another valid one.
    private struct Spelling {
        var short = ""
        var long = ""

        static func + (left: Self, right: Self) -> Self {
            Self(short: left.short + right.short, long: left.long + right.long)
        }
    }

    private struct Writer {
        var random: SeededRandom
        /// The number of strings and numbers, out of a hundred, that have the long spelling.
        var longOnes: Int

        mutating func value(depth: Int) -> Spelling {
            switch random.int(below: depth > 4 ? 4 : 6) {
            case 0: return text()
            case 1: return number()
            case 2: return same(["true", "false", "null"][random.int(below: 3)])
            case 3: return same(["[]", "{}"][random.int(below: 2)])
            case 4: return list(depth: depth)
            default: return object(depth: depth)
            }
        }

        private func same(_ text: String) -> Spelling { Spelling(short: text, long: text) }

        private mutating func space() -> Spelling {
            Spelling(long: ["", "", " ", "\n\t", "\r\n    "][random.int(below: 5)])
        }

        private mutating func list(depth: Int) -> Spelling {
            var all = same("[")
            for item in 0..<random.int(below: 9) {
                all = all + same(item == 0 ? "" : ",") + space() + value(depth: depth + 1) + space()
            }
            return all + same("]")
        }

        private mutating func object(depth: Int) -> Spelling {
            var all = same("{")
            for field in 0..<random.int(below: 9) {
                all = all + same(field == 0 ? "" : ",") + space() + text("\(field)") + space() + same(":")
                all = all + space() + value(depth: depth + 1) + space()
            }
            return all + same("}")
        }

        private mutating func text(_ end: String = "") -> Spelling {
            let text = String("añ€😀xyz /".shuffled(using: &random).prefix(random.int(below: 9))) + end
            guard random.int(below: 100) < longOnes else { return same("\"\(text)\"") }
            let escaped = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            return Spelling(short: "\"\(text)\"", long: "\"\(escaped.joined())\"")
        }

        private mutating func number() -> Spelling {
            let sign = ["", "-"][random.int(below: 2)]
            let whole = UInt64.random(in: 0...(UInt64(1) << random.int(below: 63)), using: &random)
            let isLong = random.int(below: 100) < longOnes
            switch random.int(below: 3) {
            case 0: return same("\(sign)\(whole)")
            case 1:
                let short = "\(sign)\(whole % 1_000_000).\(whole % 97)"
                return Spelling(short: short, long: isLong ? short + "0000000000000000000" : short)
            default:
                let digits = "\(whole % 900_000 + 100_000)"
                return Spelling(
                    short: "\(sign)\(digits).5", long: isLong ? "\(sign)\(digits)5E-1" : "\(sign)\(digits).50"
                )
            }
        }
    }

    @Test(arguments: [0, 1, 5, 30, 100])
    func `a value is the same however it is written`(longOnes: Int) throws {
        var writer = Writer(random: SeededRandom(seed: UInt64(longOnes)), longOnes: longOnes)
        for _ in 0..<400 {
            let spelling = writer.value(depth: 0)
            let tree = try Tree(json: Array(spelling.short.utf8))
            #expect(try Tree(json: Array(spelling.long.utf8)) == tree)
            // After many others, and before them.
            let many = String(repeating: "{\"id\":12,\"name\":\"x\"},", count: 40)
            let list = try Tree(json: Array("[\(many)\(spelling.short),\(many)1]".utf8))
            #expect(try Tree(json: Array("[\(many)\(spelling.long),\(many)1]".utf8)) == list)
        }
    }

    @Test(arguments: [
        "999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808",
        "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616",
        "99999999999999999999", "100000000000000000000", "123456789012345678901234567890",
    ])
    func `integers near 64 bits are what they are by themselves`(digits: String) throws {
        for text in [digits, "-" + digits] {
            let alone = try Tree(json: Array(text.utf8)).json()
            #expect(
                try Tree(json: Array("[\(text)]".utf8)).json() == Array("[".utf8) + alone + Array("]".utf8))
        }
    }

    @Test(arguments: [
        "[01]", "[-]", "[1.]", "[.5]", "[1e]", "[1e+]", "[+1]", "[1.e3]", "[-01.5]", "[00]", "[0x1]",
        "[1_000]",
        "[truex]", "[tru]", "[nul]", "[False]", "[true false]", "[1 2]", "[,]", "[1,]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{1:2}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[\"a\"\"b\"]", "[\"a\"b]", "[1]]", "[[1]",
        "[1}",
        "{\"a\":1]", "[\"\\x\"]", "[\"\\ud800\"]", "[1]1", "{}{}", "[1]x", "[Infinity]", "[NaN]", "[1e999]",
        "[12345678.1234567x]", "[1234567812345678x]", "[1234567.12345678e]",
    ])
    func `invalid JSON is refused behind other values too`(text: String) {
        let many = String(repeating: "{\"id\":12,\"name\":\"x\"},", count: 40)
        for text in [text, "[\(many)\(text)]"] {
            #expect(throws: (any Error).self, "\(text.suffix(30))") { try Tree(json: Array(text.utf8)) }
        }
    }
}
