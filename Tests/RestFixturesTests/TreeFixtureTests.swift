import RestEngine
import Testing

@testable import RestFixtures

struct TreeFixtureTests {
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
        let merged = try Tree(json: value).merged(with: Tree(json: patch))
        #expect(merged.description == result)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2,"a":3}"#, "{}", #"{"b":2,"a":3}"#), ("{}", #"{"a":1,"a":null}"#, "{}"),
        (#"{"\u00e9":1}"#, #"{"e\u0301":2}"#, "{\"\u{e9}\":1,\"e\u{301}\":2}"),
    ])
    func `of a repeated name the last counts, and names are compared by their bytes`(
        value: String, patch: String, result: String
    ) throws {
        let merged = try Tree(json: value).merged(with: Tree(json: patch))
        #expect(merged.description.utf8.elementsEqual(result.utf8))
    }

    @Test(arguments: [
        (#"{"id":7}"#, "7"), (#"{"id":"a b"}"#, "a b"), (#"{"id":1.5}"#, "1.5"), (#"{"id":1,"id":2}"#, "2"),
        (#"{"id":null}"#, nil), (#"{"id":[1]}"#, nil), ("{}", nil), ("[1]", nil), ("7", nil),
    ])
    func `an item is named by its id, a text or a number`(item: String, id: String?) throws {
        #expect(try Tree(json: item).id == id)
    }

    @Test(arguments: [
        (#"{"a":1,"id":2}"#, "2", #"{"a":1,"id":2}"#), (#"{"a":1,"id":2}"#, "3", #"{"a":1,"id":3}"#),
        (#"{"a":1}"#, "3", #"{"id":3,"a":1}"#), (#"{"a":1}"#, "03", #"{"id":"03","a":1}"#), ("[]", "1", "[]"),
    ])
    func `an id takes its old place or the first, and a number stays one`(
        item: String, id: String, result: String
    ) throws {
        #expect(try Tree(json: item).identified(by: id).description == result)
    }
}
