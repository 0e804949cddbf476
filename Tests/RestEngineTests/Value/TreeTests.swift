import RestEngine
import Testing

@Suite struct `A tree` {
    let sample: Tree = [
        "id": 7, "name": "Ada", "score": 1.5, "ok": true, "none": .null, "tags": ["a", "b"], "empty": [:],
        "list": [],
    ]

    @Test func `written as a literal keeps the order of its keys`() {
        #expect(
            sample.description
                == #"{"id":7,"name":"Ada","score":1.5,"ok":true,"none":null,"#
                + #""tags":["a","b"],"empty":{},"list":[]}"#
        )
    }

    @Test func `equals the one decoded from its text`() throws {
        #expect(try Tree(json: sample.description) == sample)
        #expect(try Tree(json: sample.description).hashValue == sample.hashValue)
    }

    @Test func `tells its values`() throws {
        #expect(sample.kind == .object)
        #expect(sample.count == 8)
        #expect(sample["id"]?.int == 7)
        #expect(sample["id"]?.double == 7)
        #expect(sample["name"]?.string == "Ada")
        #expect(sample["name"]?.bytes.map(Array.init) == Array("Ada".utf8))
        #expect(sample["score"]?.double == 1.5)
        #expect(sample["score"]?.int == nil)
        #expect(sample["ok"]?.bool == true)
        #expect(sample["none"]?.isNull == true)
        #expect(sample["missing"] == nil)
        #expect(sample["tags"]?[1] == "b")
        #expect(sample["tags"]?[2] == nil)
        #expect(sample["tags"]?[-1] == nil)
        #expect(sample["empty"]?.count == 0)
        #expect(sample[0] == nil)
        #expect(sample["id"]?["x"] == nil)
    }

    @Test func `is iterated`() {
        #expect(sample.pairs.map(\.key) == ["id", "name", "score", "ok", "none", "tags", "empty", "list"])
        #expect(sample["tags"]?.elements.compactMap(\.string) == ["a", "b"])
        #expect(Array(sample.elements).isEmpty)
    }

    @Test func `gives parts that equal wholes`() {
        let part = sample["tags"]
        #expect(part == ["a", "b"])
        #expect(part?.compacted() == part)
        #expect(part?.encoded == Tree(["a", "b"]).encoded)
    }

    @Test(
        arguments: [0, 1, -1, 127, 128, -128, -129, 40_000, 1 << 31, -(1 << 31) - 1, .max, .min] as [Int64])
    func `holds any integer`(int: Int64) {
        #expect(Tree(int).int == int)
        #expect(Tree(int).description == String(int))
        #expect(Tree(checking: Tree(int).encoded) == Tree(int))
    }

    @Test(arguments: [0, 254, 255, 256, 100_000])
    func `holds strings of any length`(length: Int) {
        let string = String(repeating: "é", count: length)
        #expect(Tree(string).string == string)
        #expect(Tree(checking: Tree(string).encoded) == Tree(string))
    }

    @Test func `refuses JSON for what has none, and says where`() {
        let bad: Tree = ["list": ["fine", ["x": Tree(Double.nan)]]]
        #expect { try bad.json() } throws: { ($0 as? JSONError)?.message.hasPrefix("list[2].x: ") == true }
        #expect { try Tree(bytes: [0x61, 0xFF]).json() } throws: {
            ($0 as? JSONError)?.code == .invalidUTF8 && ($0 as? JSONError)?.offset == 1
        }
        #expect(Tree(bytes: [0xFF]).string == nil)
    }

    @Test func `is written front to back`() throws {
        var builder = Tree.Builder()
        builder.object { builder in
            builder.key("a")
            builder.array { builder in
                builder.int(1)
                builder.tree(["x": .null])
            }
            builder.key("b")
            builder.bool(false)
        }
        #expect(builder.finish() == ["a": [1, ["x": .null]], "b": false])
    }

    @Test func `is refused when its bytes are none`() {
        #expect(Tree(checking: []) == nil)
        #expect(Tree(checking: [200]) == nil)
        #expect(Tree(checking: sample.encoded + [0]) == nil)
        #expect(Tree(checking: Array(sample.encoded.dropLast())) == nil)
        #expect(Tree(checking: sample.encoded) == sample)
    }
}
