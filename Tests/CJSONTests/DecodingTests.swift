import RestEngine
import TestSupport
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
        ("-1e-400", "-0.0"),
        (#""\/\u00e9\ud83d\ude00""#, #""/é😀""#),
        (#""\u0041\b\f""#, #""A\b\f""#), ("123.450000000000000000000e1", "1234.5"),
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

    /// Those between 63 and 64 bits come from the quick parser, the others from the exact one.
    @Test(arguments: [
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
        "123456789012345678901234567890", "1" + String(repeating: "0", count: 300),
    ])
    func `integers beyond 64 bits keep their digits`(text: String) throws {
        let tree = try Tree(json: #"{"a":[\#(text),1],"\#(text)":\#(text)}"#)
        #expect(tree.description == #"{"a":[\#(text),1],"\#(text)":\#(text)}"#)
        let number = try #require(tree["a"]?[0])
        #expect(number.digits == text && number.kind == .double && number.int == nil)
        #expect(number.double == Double(text))
        #expect(tree["a"]?[1]?.digits == nil)
        #expect(Tree(checking: tree.encoded) == tree)
    }

    @Test func `an integer beyond all doubles is refused`() {
        #expect(throws: JSONError.self) { try Tree(json: "1" + String(repeating: "0", count: 309)) }
    }

    @Test(arguments: ["12", "9223372036854775807", "012345678901234567890", "1.5e300", "-", ""])
    func `digits of others are no tree`(text: String) {
        #expect(Tree(checking: [12, UInt8(text.utf8.count)] + Array(text.utf8)) == nil)
        #expect(Tree(checking: [12, 20] + Array("18446744073709551615".utf8)) != nil)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2,"a":3}"#, #"{"b":2,"a":3}"#), (#"{"a":1,"a":2,"a":3,"a":4}"#, #"{"a":4}"#),
        (#"{"a":{"x":1,"x":2},"a":{"y":1,"y":[{"z":1,"z":2}]}}"#, #"{"a":{"y":[{"z":2}]}}"#),
        (#"[{"made_at":1,"made_on":2,"made_at":3},{"a":1}]"#, #"[{"made_on":2,"made_at":3},{"a":1}]"#),
        (#"{"":1,"\u0061":2,"a":[{"b":0,"c":1,"b":{"d":[]}}],"":3}"#, #"{"a":[{"c":1,"b":{"d":[]}}],"":3}"#),
        (#"{"created_at":1,"created_on":2,"a":3,"ab":4}"#, #"{"created_at":1,"created_on":2,"a":3,"ab":4}"#),
    ])
    func `of repeated keys the last stays`(text: String, normal: String) throws {
        #expect(try Tree(json: text).description == normal)
        // The other parser.
        let big = "123456789012345678901"
        #expect(try Tree(json: "[\(text),\(big)]").description == "[\(normal),\(big)]")
    }

    @Test func `of many repeated keys the last stays`() throws {
        var seeded = SeededRandom(seed: 7)
        for count in [50, 500, 5000] {
            let keys = (0..<count).map { _ in "key number \(Int.random(in: 0..<count, using: &seeded))" }
            let text = keys.enumerated().map { #""\#($1)":{"n":[\#($0)]}"# }.joined(separator: ",")
            let tree = try Tree(json: "{\(text)}")
            let last = Dictionary(keys.enumerated().map { ($1, $0) }) { $1 }
            #expect(tree.count == last.count)
            #expect(tree.pairs.allSatisfy { last[$0.key] == $0.value["n"]?[0]?.int.map { Int($0) } })
            #expect(Tree(checking: tree.encoded) == tree)
        }
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
