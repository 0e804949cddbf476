import TestSupport
import Testing

@testable import RestEngine

/// JSON that stays text until a tree of it is needed.
@Suite struct `A tree that is text` {
    private let json = #"{"id":7,"name":"Ada","tags":["a","b"],"deep":{"list":[1,2.5,null,true]},"id":8}"#

    private let preference = TextPreference()

    private func text(_ json: String) throws -> TreeText {
        try #require(TreeText(Array(json.utf8), limits: .standard, preference))
    }

    @Test func `is the tree of its text`() throws {
        let tree = Tree(try text(json)), same = try Tree(json: json)
        #expect(tree.kind == .object && tree.classID == nil && tree.isClassless)
        #expect(tree.byteCount == json.utf8.count)
        #expect(tree == same && tree.hashValue == same.hashValue && tree.encoded == same.encoded)
        #expect(tree["id"]?.int == 8 && tree["tags"]?[1] == "b" && tree.count == same.count)
        #expect(tree.byteCount == same.byteCount && tree.heldBytes == same.heldBytes)
        #expect(try tree.json() == same.json() && tree.compacted() == same && tree.classless == same)
        let list = try #require(tree["deep"]?["list"])
        #expect(list.elements.map(\.kind) == [.integer, .double, .null, .boolean])
    }

    @Test(arguments: ["[]", "{}", "[[1]]", "null", "12", "-0.5", "true", #""x""#, "18446744073709551615"])
    func `knows its kind`(json: String) throws {
        let same = try Tree(json: json)
        let tree = Tree(try text(json))
        #expect(tree.kind == same.kind && tree.isNull == same.isNull && tree == same)
        #expect(tree.string == same.string && tree.double == same.double && tree.digits == same.digits)
    }

    @Test func `is made after the thread has read other texts`() throws {
        let trees = try (1...50).map { Tree(try text(#"{"number":\#($0),"list":[\#($0)]}"#)) }
        for (index, tree) in trees.enumerated() { #expect(tree["number"]?.int == Int64(index + 1)) }
    }

    @Test func `is made once, by any threads that want it`() async throws {
        for _ in 0..<50 {
            let tree = Tree(try text(json)), same = try Tree(json: json)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { tree == same } }
                for await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test func `is not taken of what is malformed, large or beyond limits`() throws {
        func text(_ json: String, _ limits: Tree.Limits = .standard) -> TreeText? {
            TreeText(Array(json.utf8), limits: limits, preference)
        }
        func tree(_ json: String, _ limits: Tree.Limits = .standard) throws(JSONError) -> Tree {
            try Tree(reading: Array(json.utf8), limits: limits, preference)
        }
        #expect(text("[1,]") == nil)
        #expect(text("[[1]]", .init(depth: 1)) == nil)
        #expect(text("[1,2,3]", .init(bytes: 10)) == nil)
        let long = "[" + String(repeating: "1,", count: TreeText.mostBytes / 2) + "1]"
        #expect(text(long) == nil)
        #expect(try tree(long).count == TreeText.mostBytes / 2 + 1)
        #expect(throws: JSONError.self) { try tree("[1,]") }
        #expect(throws: JSONError.self) { try tree("[[1]]", .init(depth: 1)) }
    }

    @Test func `that was written here is given out as it is, or after it became a tree`() throws {
        let bytes = Array(#"{"a":[1,2.0,"x"],"b":{}}"#.utf8)
        let tree = Tree(written: bytes, preference), list = Tree(written: Array("[1]".utf8), preference)
        #expect(tree.kind == .object && list.kind == .array)
        #expect(try tree.json() == bytes && preference.takesText())
        #expect(tree["a"]?.count == 3 && !preference.takesText())
        #expect(try tree == Tree(json: bytes) && tree.json() == bytes)
    }

    @Test func `trees are made at once behind some whose text was read again, then text is tried`() throws {
        func isText() throws -> Bool {
            try Tree(reading: Array(json.utf8), limits: .standard, preference).text != nil
        }
        let first = Tree(try text(json))
        #expect(first.count == 4)
        #expect(try isText(), "its notes were there")
        let second = Tree(try text(json)), third = Tree(try text(json))
        #expect(try third.count == 4 && isText())
        #expect(second.count == 4)
        var trees = 0
        while try !isText() { trees += 1 }
        #expect(trees > 10 && trees < 1000)
    }
}
