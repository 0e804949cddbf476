import RestEngine
import Testing

private struct Account: Decodable, Equatable {
    enum Plan: String, Decodable { case free, paid }
    struct Repository: Decodable, Equatable {
        let name: String
        let stars: Int
    }

    let id: Int
    let login: String
    let name: String?
    let isAdmin: Bool
    let score: Double
    let plan: Plan
    let tags: [String]
    let counts: [String: Int]
    let repositories: [Repository]
    let extra: Tree
}

@Suite struct `A tree decoder` {
    private func decode<Value: Decodable>(_ tree: Tree) throws(CodingError) -> Value {
        try TreeDecoder().decode(from: tree)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ tree: Tree) throws(CodingError) -> Value {
        try decode(tree)
    }

    @Test func `makes a type of nested properties`() throws {
        let account: Account = try decode([
            "repositories": [["stars": 7, "name": "hello"], ["name": "world", "stars": 0]],
            "id": 12, "login": "octocat", "name": .null, "isAdmin": false, "score": 3, "plan": "paid",
            "tags": ["a", "b"], "counts": ["x": 1, "y": 2], "extra": ["any": [1, .null]],
            "unknown": "keys are passed over",
        ])
        #expect(
            account
                == Account(
                    id: 12, login: "octocat", name: nil, isAdmin: false, score: 3, plan: .paid,
                    tags: ["a", "b"], counts: ["x": 1, "y": 2],
                    repositories: [.init(name: "hello", stars: 7), .init(name: "world", stars: 0)],
                    extra: ["any": [1, .null]]))
    }

    @Test func `takes values by themselves`() throws {
        #expect(try decode(7) == 7)
        #expect(try decode("x") == "x")
        #expect(try decode([1, .null, 3]) == [1, nil, 3] as [Int?])
        #expect(try decode(.null) == nil as Int?)
        #expect(try decode([["a": 1]]) == [["a": 1]] as [[String: Int]])
        #expect(try decode(["k": [["x"]]]) == ["k": [["x"]]] as [String: [[String]]])
    }

    @Test func `takes dictionaries with keys that are numbers`() throws {
        #expect(try decode(["1": "a", "2": "b"]) == [1: "a", 2: "b"] as [Int: String])
    }

    @Test func `takes the last of a repeated key, in few keys and in many`() throws {
        let many = (0..<100).map { ("k\($0 % 70)", Tree($0)) }
        for pairs in [[("a", 1), ("b", 2), ("a", 3)], many] as [[(String, Tree)]] {
            let expected = Dictionary(pairs.map { ($0, $1.int ?? 0) }) { $1 }
            #expect(try decode(Tree(pairs: pairs)) == expected)
        }
    }

    @Test func `an integer beyond 64 bits fits where it does, and is refused elsewhere`() throws {
        let tree = try Tree(json: #"{"n":18446744073709551615}"#)
        #expect(try decode(tree) == ["n": UInt64.max])
        #expect(try decode(tree) == ["n": 18446744073709551615.0])
        #expect(try decode(tree) == ["n": Tree(json: "18446744073709551615")])
        do throws(CodingError) {
            let value: [String: Int] = try decode(tree)
            Issue.record("\(value)")
        } catch {
            #expect("\(error)" == "n: 18446744073709551615 does not fit into Int")
        }
    }

    @Test func `takes enums with values`() throws {
        enum Shape: Decodable, Equatable {
            case circle(radius: Double)
            case point
            case pair(Int, Int)
        }
        #expect(
            try decode([["circle": ["radius": 2]], ["point": [:]], ["pair": ["_0": 1, "_1": 2]]])
                == [Shape.circle(radius: 2), .point, .pair(1, 2)])
    }

    @Test func `serves subclasses, nested containers and decoders of parents`() throws {
        class Base: Decodable {
            let id: Int
        }
        final class Derived: Base {
            let first: String
            let second: Int
            let parentID: Int

            enum Keys: String, CodingKey { case names, parent }
            enum Names: String, CodingKey { case first }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                first = try container.nestedContainer(keyedBy: Names.self, forKey: .names).decode(
                    String.self, forKey: .first)
                var list = try container.nestedUnkeyedContainer(forKey: .parent)
                _ = try list.nestedContainer(keyedBy: Names.self)
                var inner = try list.nestedUnkeyedContainer()
                second = try inner.decode(Int.self)
                parentID = try Base(from: list.superDecoder()).id
                #expect(list.isAtEnd && list.currentIndex == 3 && list.count == 3)
                try super.init(from: container.superDecoder())
            }
        }
        let derived: Derived = try decode([
            "names": ["first": "a"], "parent": [[:], [5], ["id": 6]], "super": ["id": 4],
        ])
        #expect(derived.first == "a" && derived.second == 5 && derived.parentID == 6 && derived.id == 4)
    }

    @Test func `an element that can't be decoded is still there to be decoded as something else`() throws {
        struct Either: Decodable, Equatable {
            var numbers: [Int] = []
            var texts: [String] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    do { numbers.append(try container.decode(Int.self)) } catch is DecodingError {
                        texts.append(try container.decode(String.self))
                    }
                }
            }
        }
        let either: Either = try decode([1, "a", 2])
        #expect(either.numbers == [1, 2] && either.texts == ["a"])
    }

    @Test func `passes on what types ask for`() throws {
        struct Asking: Decodable {
            let answer: String?
            init(from decoder: any Decoder) {
                answer = CodingUserInfoKey(rawValue: "k").flatMap { decoder.userInfo[$0] } as? String
            }
        }
        var decoder = TreeDecoder()
        decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "k"))] = "yes"
        #expect(try decoder.decode(Asking.self, from: [:]).answer == "yes")
    }

    @Test func `finds names in snake case, dictionaries' keys as they are`() throws {
        struct Page: Decodable, Equatable {
            let htmlURL: String
            let isOpen: Bool?
            let byName: [String: Int]
            let plain: Int
        }
        let page = try TreeDecoder(keys: .snakeCase).decode(
            Page.self, from: ["html_url": "u", "by_name": ["someName": 1, "other_name": 2], "plain": 3])
        #expect(
            page == Page(htmlURL: "u", isOpen: nil, byName: ["someName": 1, "other_name": 2], plain: 3))
    }

    // MARK: Numbers

    @Test func `integers fit or fail`() throws {
        #expect(try decode([-128, 127]) == [Int8.min, .max])
        #expect(try decode(Tree(UInt64(Int64.max))) == UInt64(Int64.max))
        #expect(try decode(Tree(Int64.min)) == Int64.min)
        #expect(throws: CodingError(type: "UInt8", message: "300 does not fit into UInt8")) {
            try decode(UInt8.self, 300)
        }
        #expect(throws: CodingError(type: "UInt", message: "-1 does not fit into UInt")) {
            try decode(UInt.self, -1)
        }
    }

    @Test func `a double is an integer when it is whole and exact`() throws {
        #expect(try decode(3.0) == 3 as Int)
        #expect(try decode(Tree(-0.0)) == 0 as UInt8)
        #expect(throws: CodingError(type: "Int", message: "expected integer, got 1.5")) {
            try decode(Int.self, 1.5)
        }
        #expect(throws: CodingError(type: "Int8", message: "1000 does not fit into Int8")) {
            try decode(Int8.self, 1000.0)
        }
        for huge in [1e30, -1e300, .infinity, .nan, 0x1p54] {
            #expect(throws: CodingError.self) { try decode(UInt64.self, Tree(huge)) }
        }
    }

    @Test func `an integer is a double, and a float when it is not too large`() throws {
        #expect(try decode(3) == 3.0 as Double)
        #expect(try decode(0.1) == 0.1 as Float)
        #expect(throws: CodingError(type: "Float", message: "1e+300 does not fit into Float")) {
            try decode(Float.self, 1e300)
        }
        #expect(try decode(Tree(Double.infinity)) == Float.infinity)
    }
}
