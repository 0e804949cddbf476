import RestEngine
import Testing

@testable import JSONTools

struct ExactNumberTests {
    @Test(arguments: [
        ("0", "-0", true), ("1", "1.0", true), ("1e2", "100", true), ("0.1", "0.10", true),
        ("12345678901234567890123", "12345678901234567890124", false), ("1e400", "1e401", false),
    ]) func `equal numbers are equal`(left: String, right: String, isEqual: Bool) throws {
        let numbers = try [left, right].map { try #require(ExactNumber(text: $0)) }
        #expect((numbers[0] == numbers[1]) == isEqual)
    }

    @Test func `numbers are ordered by value`() throws {
        let texts = [
            "-1e400", "-12345678901234567891", "-12345678901234567890", "-1.5", "-1", "-0.01", "0", "1e-400",
            "0.00999", "0.01", "0.9", "1", "1.00000000000000000001", "9007199254740993", "9.1e15", "1e400",
        ]
        let numbers = try texts.map { try #require(ExactNumber(text: $0)) }
        #expect(numbers == numbers.sorted())
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [
        ("0.0075", "0.0001", true), ("0.00751", "0.0001", false), ("1e308", "0.123456789", false),
        ("1e308", "0.5", true), ("0", "3", true), ("-9", "3", true), ("10", "3", false), ("4.5", "1.5", true),
        ("12345678901234567890123456789012345678", "2", true), ("1e-7", "1e-8", true), ("3", "1e2", false),
        ("1e1000000", "7", false),
        ("99999999999999999999999999999999999999e9", "99999999999999999999999999999999999999", true),
    ]) func `a multiple is one without rounding`(number: String, divisor: String, isMultiple: Bool) throws {
        let divisor = try #require(ExactNumber(text: divisor).flatMap(Divisor.init))
        #expect(divisor.divides(try #require(ExactNumber(text: number))) == isMultiple)
    }

    @Test(arguments: ["0", "-1", String(repeating: "7", count: 39)])
    func `some numbers divide none`(text: String) throws {
        #expect(Divisor(try #require(ExactNumber(text: text))) == nil)
    }

    @Test(arguments: ["", "-", "a", "1a", "inf", "nan"]) func `other text is no number`(text: String) {
        #expect(ExactNumber(text: text) == nil)
    }

    @Test func `integers of 64 bits come back`() throws {
        for int in [Int64.min, -10, -1, 0, 7, 1000, .max] {
            #expect(ExactNumber(int).int == Int(int))
            #expect(ExactNumber(int) == ExactNumber(text: "\(int)"))
        }
        #expect(try #require(ExactNumber(text: "9223372036854775808")).int == nil)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[1.0]}"#, #"{"b":[1],"a":1.0}"#, true), ("[1,2]", "[2,1]", false),
        (#"{"a":null}"#, "{}", false), (#"["ab","c"]"#, #"["a","bc"]"#, false), ("[true]", "[1]", false),
        ("[[],[]]", "[[[]]]", false), (#"{"é":1}"#, "{\"e\u{301}\":1}", false),
    ]) func `values are the same by JSON's rules`(left: String, right: String, isSame: Bool) throws {
        #expect(try Tree(json: left).isSame(as: try Tree(json: right)) == isSame)
        #expect(try Tree(json: right).isSame(as: try Tree(json: left)) == isSame)
    }
}
