import RestEngine
import Testing

@Suite struct `Decoding JSON text` {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "127", "128", "-128", "-129", "2147483647", "2147483648",
        "9223372036854775807", "-9223372036854775808", "0.1", "1e+308", "-0.0", "1.0", "1.5e-07", #""""#,
        #""a""#,
        "[]", "{}", "[[],{}]", #"{"a":{"b":[1,2,{"c":null}]}}"#, #"["é","😀","\u0000\u001f\n\t\"\\"]"#,
        #"{"b":1,"a":2}"#,
    ])
    func `compact text comes back as it was`(text: String) throws {
        #expect(try Tree(json: text).description == text)
    }

    @Test(arguments: [
        (" [ 1 , 2 ] ", "[1,2]"), ("\u{FEFF}{}", "{}"), ("1e0", "1.0"), ("-0", "0"), ("1E400e", nil),
        ("1e-400", "0.0"),
        ("-1e-400", "-0.0"), ("9223372036854775808", "9.223372036854775808e+18"),
        ("18446744073709551615", "1.8446744073709552e+19"),
        ("-9223372036854775809", "-9.223372036854775808e+18"),
        ("[123456789012345678901234567890]", "[1.2345678901234568e+29]"),
        (#""\/\u00e9\ud83d\ude00""#, #""/é😀""#),
        (#""\u0041\b\f""#, #""A\b\f""#), ("123456789012345678901234567890e-400", "0.0"),
    ])
    func `text is normalised`(text: String, normal: String?) throws {
        guard let normal else { return }
        let tree = try Tree(json: text)
        let again = try Tree(json: normal)
        #expect(tree == again)
    }

    @Test(arguments: [
        (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"), (0, "0"), (-1, "-1"),
        (200, "200"),
        (-70000, "-70000"),
    ])
    func `integers of 64 bits are exact`(int: Int64, text: String) throws {
        #expect(try Tree(json: text).int == int)
    }

    @Test(arguments: [
        ("0.1", 0.1), ("1e308", 1e308), ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("5e-324", .leastNonzeroMagnitude),
        ("2.225073858507201e-308", Double.leastNormalMagnitude.nextDown),
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("1.0", 1), ("0.30000000000000004", 0.1 + 0.2), ("123456789.123456789", 123456789.123456789),
    ])
    func `doubles are exact`(text: String, double: Double) throws {
        let tree = try Tree(json: text)
        #expect(tree.kind == .double)
        #expect(tree.double == double)
    }

    @Test func `minus zero keeps its sign`() throws {
        #expect(try Tree(json: "-0.0").double?.sign == .minus)
        #expect(try Tree(json: "[-0.0,123456789012345678901]")[0]?.double?.sign == .minus)
    }

    @Test(arguments: [
        "18446744073709551616", "99999999999999999999999999", "-99999999999999999999",
        "340282366920938463463374607431768211456",
    ])
    func `integers beyond 64 bits become the nearest double`(text: String) throws {
        #expect(try Tree(json: text).double == Double(text))
    }

    @Test func `repeated keys stay, and the last one wins`() throws {
        let tree = try Tree(json: #"{"a":1,"b":2,"a":3}"#)
        #expect(tree["a"] == 3)
        #expect(tree.pairs.map(\.key) == ["a", "b", "a"])
    }

    @Test func `a large array is read`() throws {
        let text = "[" + (0..<200_000).map(String.init).joined(separator: ",") + "]"
        let tree = try Tree(json: text)
        #expect(tree.count == 200_000)
        #expect(tree.elements.reduce(0) { $0 + ($1.int ?? 0) } == 19_999_900_000)
        #expect(tree.description == text)
    }

    @Test func `long strings and long keys are read`() throws {
        for length in [0, 1, 253, 254, 255, 256, 70_000] {
            let string = String(repeating: "x", count: length)
            let tree = try Tree(json: #"{"\#(string)":"\#(string)\u00e9"}"#)
            #expect(tree[string]?.string == string + "é")
            let exact = try Tree(json: #"{"\#(string)":"\#(string)\u00e9","n":123456789012345678901}"#)
            #expect(exact[string] == tree[string])
        }
    }
}
