#if canImport(FoundationEssentials)
    import FoundationEssentials
    import RestEngine
    import TestSupport
    import Testing

    /// Numbers of JSON, beside Foundation's decoder.
    @Suite struct `Numbers of JSON` {
        private func same<Value: Decodable & Equatable & Sendable>(
            _ type: Value.Type, _ literal: String, _ mayFail: Bool = true
        ) throws {
            let json = Array("[\(literal)]".utf8)
            let tree = try Tree(json: json)
            let expected = try? JSONDecoder().decode([Value].self, from: Data(json))
            let found = try? TreeDecoder().decode([Value].self, from: tree)
            // Foundation reads no wide integer with an exponent.
            if found != nil && expected != nil || !mayFail {
                #expect(found == expected, "\(type) \(literal)")
            }
            // The tree as JSON still has the number.
            let again = try? TreeDecoder().decode([Value].self, from: Tree(json: tree.json()))
            #expect(found == nil || again == found, "\(type) \(literal)")
        }

        @Test(arguments: [
            "99999999999999999.99", "1.000000000000000001", "4503599627370497.5",
            "1234567.123456789012345678",
            "9007199254740993.0", "-0.12345678901234567890123", "12345678901234567e-3", "0.1", "1e3",
            "100000000000000000000000000000000000000", "900719925474099.1", "9007199254740991.7",
        ])
        func `a decimal keeps its digits`(literal: String) throws {
            try same(Decimal.self, literal, false)
            try same(Double.self, literal, false)
        }

        @Test func `a whole number with a fraction of zeros is an integer`() throws {
            for (literal, number) in [
                ("9007199254740993.0", 9_007_199_254_740_993), ("5.0", 5),
                ("12345678901234567e1", 123_456_789_012_345_670),
            ] {
                #expect(try TreeDecoder().decode([Int].self, from: Tree(json: "[\(literal)]")) == [number])
            }
            #expect(
                try TreeDecoder().decode([Int128].self, from: Tree(json: "[2306554446140848356356e0]"))
                    == [2_306_554_446_140_848_356_356])
            // Exponents that no type has.
            for power in ["-9223372036854775808", "-400", "-1000000"] {
                let tree = try Tree(json: "[0.12345678901234567e\(power)]")
                #expect(throws: CodingError.self) { try TreeDecoder().decode([Int].self, from: tree) }
                #expect(throws: CodingError.self) { try TreeDecoder().decode([Decimal].self, from: tree) }
            }
            for literal in ["1234567890123456.5", "123456789012345678901234.0"] {
                let error = #expect(throws: CodingError.self) {
                    try TreeDecoder().decode([Int].self, from: Tree(json: "[\(literal)]"))
                }
                #expect(error?.message.contains(literal) == true)
            }
        }

        private struct Wide: Codable, Equatable {
            var large: Int128
            var positive: UInt128
            var list: [Int128]
            var absent: Int128?
        }

        @Test func `integers have up to 128 bits`() throws {
            let wide = Wide(large: .min, positive: .max, list: [.max, 0, -1], absent: nil)
            let tree = try TreeEncoder().encode(wide)
            let text = String(decoding: try tree.json(), as: UTF8.self)
            #expect(text.contains("\"positive\":340282366920938463463374607431768211455"))
            #expect(try TreeDecoder().decode(Wide.self, from: Tree(json: text)) == wide)
            #expect(try TreeDecoder().decode(Int128.self, from: 7) == 7)
            #expect(try TreeDecoder().decode(UInt128.self, from: TreeEncoder().encode(UInt128.max)) == .max)
        }

        @Test func `random numbers are equal to Foundation's, or an error`() throws {
            var random = SeededRandom(seed: 11)
            for _ in WholeRun.part(Array(0..<10_000), oneIn: 5) {
                func digits(_ range: ClosedRange<Int>) -> String {
                    (0..<Int.random(in: range, using: &random)).map { _ in
                        "\(Int.random(in: 0...9, using: &random))"
                    }.joined()
                }
                var whole = digits(1...22)
                while whole.count > 1, whole.hasPrefix("0") { whole.removeFirst() }
                var literal = (Bool.random(using: &random) ? "-" : "") + whole
                if Bool.random(using: &random) { literal += "." + digits(1...20) }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    literal += "e\(Int.random(in: -30...30, using: &random))"
                }
                try same(Decimal.self, literal)
                try same(Double.self, literal, false)
                try same(Int.self, literal)
                try same(Int128.self, literal)
            }
        }
    }
#endif
