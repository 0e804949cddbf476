import RestEngine
import Testing

private struct User: Decodable {
    let login: String
    let age: UInt8?
}

private struct Team: Decodable {
    let users: [User]
    let byName: [String: User]?
}

@Suite struct `What a decoder says of content that is wrong` {
    private func failure<Value: Decodable>(_ type: Value.Type, _ tree: Tree) -> CodingError? {
        do throws(CodingError) {
            _ = try TreeDecoder().decode(type, from: tree)
            return nil
        } catch { return error }
    }

    @Test(
        arguments: [
            (["users": [["login": "a"], ["login": 1]]], "users[1].login: expected string, got number"),
            (["users": [["login": .null]]], "users[0].login: expected string, got null"),
            (["users": [[:]]], "users[0]: the key 'login' is missing"),
            (["users": ["a": 1]], "users: expected array, got object"),
            (["users": [7]], "users[0]: expected object, got number"),
            (["users": [["login": "a", "age": 256]]], "users[0].age: 256 does not fit into UInt8"),
            (["users": [["login": "a", "age": "x"]]], "users[0].age: expected integer, got string"),
            (["users": [], "byName": ["a b": [:]]], "byName['a b']: the key 'login' is missing"),
            (["users": [], "byName": ["a\n": [:]]], "byName['a\\x0a']: the key 'login' is missing"),
            (["users": [], "byName": ["": [:]]], "byName['']: the key 'login' is missing"),
            (["users": [], "byName": ["é": 1.5]], "byName.é: expected object, got number"),
            (["users": [], "byName": [[]]], "byName: expected object, got array"),
            ([], "Team: expected object, got array"), (true, "Team: expected object, got boolean"),
            ([:], "Team: the key 'users' is missing"),
        ] as [(Tree, String)])
    func `names the place, what was expected and what was there`(tree: Tree, text: String) {
        #expect(failure(Team.self, tree)?.description == text)
    }

    @Test func `points at a key in the other style`() {
        struct Dated: Decodable { let createdAt: String }
        #expect(
            failure(Dated.self, ["created_at": "x"])?.message
                == "the key 'createdAt' is missing; there is 'created_at', which KeyStyle.snakeCase would find"
        )
    }

    @Test func `names a value that an enum doesn't have`() {
        enum Plan: String, Decodable { case free, paid }
        #expect(
            failure([Plan].self, ["free", "gold"])?.description
                == "[1]: Cannot initialize Plan from invalid String value gold")
    }

    @Test func `names a string that is no UTF-8`() {
        #expect(
            failure(String.self, Tree(bytes: [0xFF]))?.message
                == "expected string, got string that is no UTF-8")
    }

    @Test func `says that an array is too short`() {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = (try container.decode(Int.self), try container.decode(Int.self))
            }
        }
        #expect(failure(Pair.self, [1])?.message == "expected more than 1 elements")
    }

    @Test func `passes on what a type throws by itself`() {
        struct Own: Error {}
        struct Refusing: Decodable {
            init(from decoder: any Decoder) throws { throw Own() }
        }
        #expect(failure(Refusing.self, [:])?.message == "Own()")
    }
}
