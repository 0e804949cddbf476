import RestEngine
import Testing

@Suite struct `A tree encoder` {
    private func encode(_ value: some Encodable) throws(CodingError) -> Tree {
        try TreeEncoder().encode(value)
    }

    @Test func `writes properties in their order, and leaves out those that are nil`() throws {
        struct Account: Encodable {
            enum Plan: String, Encodable { case paid }
            var id = 12
            var name: String? = nil
            var isAdmin = true
            var score = 1.5
            var plan = Plan.paid
            var tags = ["a", "b"]
            var extra: Tree = ["any": [1, .null]]
            var part: Float = 0.1
        }
        #expect(
            try encode(Account()).description
                == #"{"id":12,"isAdmin":true,"score":1.5,"plan":"paid","tags":["a","b"],"#
                + #""extra":{"any":[1,null]},"part":0.1}"#)
    }

    @Test func `writes values by themselves`() throws {
        #expect(try encode(7) == 7)
        #expect(try encode("x") == "x")
        #expect(try encode(nil as Int?) == .null)
        #expect(try encode([1, nil]) == [1, .null])
        #expect(try encode(["k": ["a": 1]]) == ["k": ["a": 1]])
        #expect(try encode([UInt64(1), 2]) == [1, 2])
        #expect(try encode(["x"] as Tree) == ["x"])
    }

    @Test func `writes an object for a type without properties`() throws {
        struct Nothing: Encodable {}
        struct Silent: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        #expect(try encode(Nothing()) == [:])
        #expect(try encode([Silent()]) == [[:]])
    }

    @Test func `serves containers that are filled in any order`() throws {
        struct Odd: Encodable {
            func encode(to encoder: any Encoder) throws {
                var keyed = encoder.container(keyedBy: Key.self)
                var list = keyed.nestedUnkeyedContainer(forKey: .list)
                let parent = keyed.superEncoder()
                try keyed.encode(1, forKey: .number)
                try keyed.encode(2, forKey: .number)
                var inner = list.nestedContainer(keyedBy: Key.self)
                try list.encode("behind")
                try inner.encodeNil(forKey: .number)
                var deep = list.nestedUnkeyedContainer()
                try deep.encode(contentsOf: [1, 2])
                try "late".encode(to: parent)
                var again = encoder.container(keyedBy: Key.self)
                try again.encode(true, forKey: .flag)
                var single = list.superEncoder().singleValueContainer()
                try single.encode(0.5)
                try 8.encode(to: keyed.superEncoder(forKey: .other))
                #expect(list.count == 4)
            }
            enum Key: String, CodingKey { case list, number, flag, other }
        }
        #expect(
            try encode(Odd()).description
                == #"{"list":[{"number":null},"behind",[1,2],0.5],"super":"late","number":2,"flag":true,"other":8}"#
        )
    }

    @Test func `a key that comes again among many replaces the first`() throws {
        struct Many: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for number in 0..<50 { try container.encode(number, forKey: Key(number % 20)) }
            }
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(_ number: Int) { stringValue = "k\(number)" }
                init?(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
        }
        let tree = try encode(Many())
        #expect(tree.pairs.map(\.key) == (0..<20).map { "k\($0)" })
        #expect(tree["k3"] == 43 && tree["k16"] == 36)
    }

    @Test func `writes names in snake case, dictionaries' keys as they are`() throws {
        struct Page: Encodable {
            var htmlURL = "u"
            var byName = ["someName": 1]
        }
        #expect(
            try TreeEncoder(keys: .snakeCase).encode(Page()) == ["html_url": "u", "by_name": ["someName": 1]])
    }

    private struct Refused: Encodable {
        var isRefused: Bool

        func encode(to encoder: any Encoder) throws {
            guard isRefused else { return }
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "refused"))
        }
    }

    private struct Node: Codable {
        var inner: [Node] = []
        var names: [String: [Node]] = [:]

        /// A chain of this depth.
        static func chain(_ count: Int, named: Bool) -> Node {
            (1..<count).reduce(Node()) { node, _ in named ? Node(names: ["a": [node]]) : Node(inner: [node]) }
        }
    }

    @Test(arguments: [false, true]) func `what can be encoded can be decoded, however deep`(named: Bool)
        throws
    {
        var deep = TreeEncoder()
        deep.maxDepth = 1000
        var deepest = (encoded: 0, decoded: 0)
        for count in 30..<80 {
            let node = Node.chain(count, named: named)
            if (try? TreeEncoder().encode(node)) != nil { deepest.encoded = count }
            if (try? TreeDecoder().decode(Node.self, from: deep.encode(node))) != nil {
                deepest.decoded = count
            }
        }
        #expect(deepest.encoded == deepest.decoded && (31..<79).contains(deepest.encoded))
    }

    @Test func `names the place of what has no form`() {
        #expect(
            throws: CodingError(
                type: "Dictionary<String, Array<Refused>>", path: "k[1]", message: "refused")
        ) { try encode(["k": [Refused(isRefused: false), Refused(isRefused: true)]]) }
    }

    @Test func `a value that contains itself is an error`() {
        final class Ring: Encodable {
            var next: Ring?
        }
        let ring = Ring()
        ring.next = ring
        defer { ring.next = nil }
        #expect(throws: CodingError(type: "Ring", message: "the value is nested more than 128 deep")) {
            try encode(ring)
        }
    }
}

@Suite struct `A style of keys` {
    @Test(
        arguments: [
            ("createdAt", "created_at"), ("id", "id"), ("htmlURL", "html_url"), ("URLPath", "url_path"),
            ("x2Y", "x2_y"), ("already_snake", "already_snake"), ("ID", "id"), ("aB", "a_b"), ("", ""),
            ("_private", "_private"), ("_Odd", "_odd"), ("éÉ", "é_é"),
        ])
    func `writes names in snake case`(name: String, snake: String) throws {
        struct Named: Encodable {
            let name: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: name))
            }
        }
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        #expect(try TreeEncoder(keys: .snakeCase).encode(Named(name: name)).pairs.map(\.key) == [snake])
    }
}
