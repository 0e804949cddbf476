import RestEngine
import Testing

@testable import Gateway

@Suite struct JSONPatchTests {
    @Test(arguments: [
        ("{\"a\":1}", "{\"a\":1}", "[]"),
        (
            "{\"a\":1}", "{\"a\":2,\"b\":3}",
            #"[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b","value":3}]"#
        ),
        ("{\"a/b\":1,\"c~d\":2}", "{}", #"[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}]"#),
        ("[1,2,3]", "[0,1,2,3]", #"[{"op":"add","path":"/0","value":0}]"#),
        ("[1,2,3,4]", "[1,4]", #"[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}]"#),
        ("[[1],{\"a\":[1,2]}]", "[[1],{\"a\":[1,3]}]", #"[{"op":"replace","path":"/1/a/1","value":3}]"#),
        ("[1]", "{\"a\":1}", #"[{"op":"replace","path":"","value":{"a":1}}]"#),
        (
            "[]", "[null,true]",
            #"[{"op":"add","path":"/0","value":null},{"op":"add","path":"/1","value":true}]"#
        ),
    ])
    func `53.4 RFC 6902 Operations make the new tree of the old`(
        _ old: String, _ new: String, _ patch: String
    ) throws {
        let made = try #require(
            JSONPatch.between(try Tree(json: Array(old.utf8)), try Tree(json: Array(new.utf8))))
        #expect(String(decoding: made, as: UTF8.self) == patch)
    }
}
