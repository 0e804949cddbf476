import Testing

@testable import resthost

struct FixtureJSONTests {
    @Test(arguments: [
        #"{"b":1,"a":[true,false,null],"n":-0.50e+3}"#, #""é\n\t\"\\\u0001""#, "[]", "{}",
        "12345678901234567890123",
        #"[{"a":{"b":[[]]}}]"#,
    ])
    func `what is read is written back as it was`(text: String) throws {
        #expect(try written(FixtureJSONParser.parse(Array(text.utf8))) == text)
    }

    @Test(arguments: [
        (#" "\u00e9\ud83d\ude00\/" "#, #""é😀/""#), ("[ 1 ,\n2\t]\r", "[1,2]"),
        (#"{ "a" : {} }"#, #"{"a":{}}"#),
    ])
    func `escapes and spaces are resolved`(text: String, expected: String) throws {
        #expect(try written(FixtureJSONParser.parse(Array(text.utf8))) == expected)
    }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("[1,]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1), ("01", 1), ("1.", 2), ("-", 1),
        ("1e", 2),
        ("\"a", 2), ("\"\\x\"", 2), ("\"\\ud800\"", 3), ("tru", 3), ("[1] 2", 4), ("\"a\nb\"", 2), ("NaN", 0),
    ])
    func `malformed text is refused with its offset`(text: String, offset: Int) {
        #expect(throws: FixtureJSONError(offset: offset)) { try FixtureJSONParser.parse(Array(text.utf8)) }
    }

    @Test func `invalid UTF-8 and endless nesting are refused`() {
        #expect(throws: FixtureJSONError(offset: 1)) { try FixtureJSONParser.parse([0x22, 0xFF, 0x22]) }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: FixtureJSONError(offset: 256)) { try FixtureJSONParser.parse(deep) }
    }

    /// The examples of RFC 7396 appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `a merge patch changes, adds and removes members`(value: String, patch: String, result: String)
        throws
    {
        let merged = try FixtureJSONParser.parse(Array(value.utf8))
            .merged(with: FixtureJSONParser.parse(Array(patch.utf8)))
        #expect(written(merged) == result)
    }

    private func written(_ value: FixtureJSON) -> String {
        String(decoding: FixtureJSONWriter.bytes(of: value), as: UTF8.self)
    }
}
