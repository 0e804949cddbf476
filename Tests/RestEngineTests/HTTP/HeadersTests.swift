import RestEngine
import TestSupport
import Testing

struct HeadersTests {
    private let sample = Headers([
        ("Accept", "a"), ("X-One", "1"), ("ACCEPT", "b"), ("Set-Cookie", "c=1"), ("set-cookie", "d=2"),
        ("X-Two", ""),
    ])

    @Test(
        arguments: [
            ("accept", "a, b", ["a", "b"]), ("Accept", "a, b", ["a", "b"]), ("x-one", "1", ["1"]),
            ("SET-COOKIE", "c=1", ["c=1", "d=2"]), ("X-Two", "", [""]), ("X-Three", nil, []), ("", nil, []),
        ] as [(String, String?, [String])])
    func `D13 lookup`(name: String, joined: String?, values: [String]) {
        #expect(sample[name] == joined)
        #expect(sample.values(name) == values)
        #expect(sample.contains(name) == !values.isEmpty)
    }

    enum Edit: Sendable {
        case set(String, String)
        case setAll(String, [String])
        case add(String, String)
        case remove(String)
    }

    @Test(
        arguments: [
            (.set("b", "9"), ["a=1", "b=9", "a=3"]), (.set("A", "9"), ["A=9", "b=2"]),
            (.set("c", "9"), ["a=1", "b=2", "a=3", "c=9"]), (.add("A", "9"), ["a=1", "b=2", "a=3", "A=9"]),
            (.remove("A"), ["b=2"]), (.remove("c"), ["a=1", "b=2", "a=3"]),
            (.setAll("a", ["8", "9"]), ["a=8", "b=2", "a=9"]), (.setAll("A", []), ["b=2"]),
            (.setAll("c", ["8"]), ["a=1", "b=2", "a=3", "c=8"]),
        ] as [(Edit, [String])])
    func `6.9 edits keep the order`(edit: Edit, expected: [String]) {
        var headers = Headers([("a", "1"), ("b", "2"), ("a", "3")])
        switch edit {
        case .set(let name, let value): headers.set(name, value)
        case .setAll(let name, let values): headers.set(name, values: values)
        case .add(let name, let value): headers.add(name, value)
        case .remove(let name): headers.remove(name)
        }
        #expect(headers.fields.map { "\($0.name)=\($0.value)" } == expected)
    }

    /// `@` and `` ` `` differ in the same bit as upper and lower case, and so do `[` and `{`. The last two
    /// texts are one letter in Unicode, with three bytes each.
    @Test(
        arguments: [
            ("@", "`"), ("[", "{"), ("é", "É"), ("a", "ab"), ("-", "\r"), ("\u{212B}", "A\u{30A}"),
        ])
    func `19.4 only the case of ASCII letters is ignored`(one: String, other: String) {
        #expect(!Headers([(one, "1")]).contains(other))
    }

    @Test func `replacing takes the place of all names at once`() {
        var headers = Headers([("A", "1"), ("b", "2"), ("a", "3"), ("C", "4")])
        headers.replace(by: Headers([("B", "5"), ("a", "6"), ("b", "7")]))
        #expect(headers == Headers([("C", "4"), ("B", "5"), ("a", "6"), ("b", "7")]))
    }

    @Test func `joined names each header once, as reading it does`() {
        let headers = Headers([("B", "1"), ("a", "2"), ("b", "3"), ("Set-Cookie", "x"), ("set-cookie", "y")])
        #expect(headers.joined.map(\.name) == ["b", "a", "set-cookie"])
        for (name, value) in headers.joined { #expect(headers[name] == value) }
    }

    @Test func `many headers take as long each as few`() throws {
        let ratio = try growth(from: 2000, by: 4) { count in
            let many = Headers((0..<count).map { ("name-\($0)", "value") })
            var headers = many
            headers.replace(by: many)
            #expect(headers.joined.count == count)
        }
        #expect(ratio < 9, "\(ratio)")
    }
}
