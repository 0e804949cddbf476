import RestEngine
import Testing

@testable import JSONTools

struct LimitTests {
    private struct Stop: Error {}

    private func nested(_ depth: Int) throws -> Tree {
        try Tree(json: String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }

    @Test(arguments: ["$[?$[?$[?@ == 1000]]]", "$..[?$..[?@ == 1000]]"])
    func `the work of a path ends`(path: String) throws {
        let list = Tree((0..<400).map { Tree($0) })
        #expect(throws: JSONToolsError("the work takes more than 100000 steps")) {
            try JSONPath(path).matches(in: list, work: WorkLimit(steps: 100_000))
        }
    }

    @Test func `a path visits a bounded depth`() throws {
        let inner = String(repeating: "$..[?", count: 8) + "@ == 1" + String(repeating: "]", count: 8)
        #expect(throws: JSONToolsError.self) {
            try JSONPath(inner).matches(in: try nested(500), work: WorkLimit(steps: 100_000))
        }
        #expect(try JSONPath("$..*").matches(in: nested(500), work: WorkLimit(steps: 10_000)).count == 499)
    }

    @Test func `results take bounded memory`() throws {
        var value = Tree(String(repeating: "x", count: 1 << 20))
        for _ in 0..<100 { value = [value] }
        #expect(throws: JSONToolsError("the values that the path finds take more than 64 MiB")) {
            try JSONPath("$..*").matches(in: value, work: WorkLimit(steps: 10_000))
        }
    }

    @Test func `the caller's time is asked for`() throws {
        let list = Tree((0..<5000).map { Tree($0) })
        #expect(throws: Stop.self) {
            try JSONPath("$[?@ > 1]").matches(in: list, work: WorkLimit(steps: 1_000_000) { throw Stop() })
        }
        #expect(throws: Stop.self) {
            try JSONSchema(["items": ["type": "integer"]]).mismatches(
                of: list, work: WorkLimit(steps: 1_000_000) { throw Stop() })
        }
        #expect(throws: Stop.self) {
            try JSONPatch([["op": "remove", "path": "/0"]]).apply(to: list) { throw Stop() }
        }
    }

    @Test func `the work of a validation ends`() throws {
        var definitions: [(String, Tree)] = [("d0", ["type": "integer"])]
        for level in 1...40 {
            let below: Tree = ["$ref": Tree("#/$defs/d\(level - 1)")]
            definitions.append(("d\(level)", ["allOf": [below, below]]))
        }
        let schema = try JSONSchema(["$ref": "#/$defs/d40", "$defs": Tree(pairs: definitions)])
        #expect(throws: JSONToolsError("the work takes more than 100000 steps")) {
            try schema.mismatches(of: 5, work: WorkLimit(steps: 100_000))
        }
    }

    @Test func `a dynamic reference in a circle ends`() throws {
        // Its first target is innocent, so only the validation finds the circle.
        let schema = try JSONSchema([
            "$id": "https://a.test/outer", "$ref": "inner", "$dynamicAnchor": "x",
            "$defs": [
                "inner": [
                    "$id": "inner", "$dynamicRef": "#x",
                    "$defs": ["x": ["$dynamicAnchor": "x", "type": "integer"]],
                ]
            ],
        ])
        #expect(throws: JSONToolsError.self) { try schema.mismatches(of: 5) }
    }

    @Test func `patterns of a schema take bounded memory`() throws {
        let pattern = Tree("(?:" + String(repeating: "a", count: 500) + "){60}")
        let patterns = (0..<400).map { ("p\($0)", ["pattern": pattern] as Tree) }
        _ = try JSONSchema(["properties": Tree(pairs: patterns.prefix(10))])
        let failed = #expect(throws: JSONToolsError.self) {
            try JSONSchema(["properties": Tree(pairs: patterns)])
        }
        #expect(failed?.message.contains("takes the patterns beyond 16 MiB") == true)
    }

    @Test func `a patch has a bounded number of operations`() {
        let operations = Array(repeating: ["op": "test", "path": "", "value": 1] as Tree, count: 10_001)
        #expect(throws: JSONToolsError.self) { try JSONPatch(Tree(operations)) }
    }
}
