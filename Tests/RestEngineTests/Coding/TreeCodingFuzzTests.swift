import RestEngine
import TestSupport
import Testing

/// A recursive type with members of every kind.
private final class Node: Codable, Equatable, Sendable {
    enum Kind: String, Codable { case leaf, branch }
    enum Value: Codable, Equatable {
        case number(Int8)
        case text(String, length: UInt16?)
    }

    let kind: Kind?
    let id: UInt32?
    let score: Float?
    let value: Value?
    let children: [Node]?
    let named: [String: Node?]?
    let pair: [Int: Bool]?
    let rest: Tree?

    static func == (a: Node, b: Node) -> Bool {
        a.kind == b.kind && a.id == b.id && a.score == b.score && a.value == b.value
            && a.children == b.children && a.named == b.named && a.pair == b.pair && a.rest == b.rest
    }
}

@Suite struct `Coding of random content` {
    @Test func `gives a value or an error that says where, never anything worse`() {
        var random = SeededRandom(seed: 2718)
        var decoded = 0
        for _ in 0..<4000 {
            let tree = Tree.random(depth: 5, using: &random)
            for decoder in [TreeDecoder(), TreeDecoder(keys: .snakeCase)] {
                do throws(CodingError) {
                    let node = try decoder.decode(Node.self, from: tree)
                    decoded += 1
                    // A decoded value can be encoded, and decoded again.
                    let again = try TreeEncoder().encode(node)
                    #expect(try TreeDecoder().decode(Node.self, from: again) == node)
                } catch { #expect(!error.message.isEmpty) }
                _ = try? decoder.decode([Int?].self, from: tree)
                _ = try? decoder.decode([String: [String: Double]].self, from: tree)
                _ = try? decoder.decode(Tree.self, from: tree)
            }
        }
        #expect(decoded > 100)
    }

    @Test func `ends at its limit on content that is nested deeply`() throws {
        struct List: Codable {
            let next: [List]
        }
        let deep = String(repeating: #"{"next":["#, count: 250) + String(repeating: "]}", count: 250)
        let tree = try Tree(json: deep)
        var decoder = TreeDecoder()
        #expect(throws: CodingError(type: "List", message: "the content is nested more than 128 deep")) {
            try decoder.decode(List.self, from: tree)
        }
        decoder.maxDepth = 501
        let list = try decoder.decode(List.self, from: tree)
        #expect(throws: CodingError(type: "List", message: "the value is nested more than 128 deep")) {
            try TreeEncoder().encode(list)
        }
    }
}

extension Tree {
    /// A tree that mostly has the shape of a ``Node``, and is mostly not quite right.
    fileprivate static func random(depth: Int, using random: inout SeededRandom) -> Tree {
        switch random.int(below: depth == 0 ? 8 : 14) {
        case 0: return .null
        case 1: return Tree(random.int(below: 2) == 0)
        case 2: return Tree(random.int(below: 300) - 150)
        case 3: return Tree(Int64(bitPattern: random.next()))
        case 4: return Tree(Double(bitPattern: random.next()))
        case 5: return ["leaf", "branch", "", "é\u{0}"][random.int(below: 4)]
        case 6: return Tree(bytes: random.bytes(upTo: 4))
        case 7: return Tree(Double(random.int(below: 100)) / 2)
        case 8, 9:
            return Tree((0..<random.int(below: 4)).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            let names = [
                "kind", "id", "score", "value", "children", "named", "pair", "rest", "number", "_0", "text",
                "length", "7", "a", "some_name",
            ]
            let count = random.int(below: 20) == 0 ? 70 : random.int(below: 5)
            return Tree(
                pairs: (0..<count).map { _ in
                    let name = names[random.int(below: names.count)]
                    let value =
                        random.int(below: 2) == 0
                        ? fitting(name, depth: depth, using: &random)
                        : .random(depth: depth - 1, using: &random)
                    return (name, value)
                })
        }
    }

    /// A value that fits that member of a ``Node``.
    private static func fitting(_ name: String, depth: Int, using random: inout SeededRandom) -> Tree {
        guard depth > 1 else { return .null }
        switch name {
        case "kind": return "leaf"
        case "id", "_0": return Tree(random.int(below: 1000))
        case "score": return Tree(Double(random.int(below: 1000)) / 8)
        case "value": return ["number": ["_0": 5]]
        case "children": return [.random(depth: depth - 1, using: &random)]
        case "named": return ["x": .null, "y": .random(depth: depth - 1, using: &random)]
        case "pair": return ["1": true]
        default: return .null
        }
    }
}
