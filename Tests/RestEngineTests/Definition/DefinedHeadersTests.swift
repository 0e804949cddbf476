import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinedHeadersTests {
    let fixture = EngineFixture()

    struct Row: Sendable, CustomTestStringConvertible {
        let levels: [[HeaderItem]]
        let fields: [String]
        var testDescription: String { fields.joined(separator: " | ") }
    }

    private nonisolated static func rows() -> [Row] {
        [
            Row(
                levels: [
                    [HeaderItem("first", "value1"), HeaderItem("second", "value2")],
                    [HeaderItem("second", "value3")],
                ], fields: ["first: value1", "second: value3"]),
            Row(
                levels: [
                    [HeaderItem("first", "value1"), HeaderItem("second", "v2"), HeaderItem("second", "v3")],
                    [HeaderItem("fourth", "value4")],
                ], fields: ["first: value1", "second: v3", "fourth: value4"]),
            Row(levels: [[], []], fields: []),
            Row(
                levels: [
                    [HeaderItem("Authorization", "Basic a")], [HeaderItem("authorization", "Bearer b")],
                ],
                fields: ["Authorization: Bearer b"]),
            Row(
                levels: [[HeaderItem("Accept", "application/json")], [HeaderItem("Accept", "text/plain")]],
                fields: ["Accept: application/json, text/plain"]),
            Row(
                levels: [
                    [HeaderItem("Accept", "a")], [HeaderItem("accept", "b"), HeaderItem("ACCEPT", "c")],
                ],
                fields: ["Accept: a, b, c"]),
            Row(levels: [[HeaderItem("X", "")], [HeaderItem("X", "a")]], fields: ["X: a"]),
            Row(levels: [[HeaderItem("X", "a")], [HeaderItem("X", "a")]], fields: ["X: a"]),
            Row(levels: [[HeaderItem("Via", "a")], [HeaderItem("Via", "a")]], fields: ["Via: a, a"]),
            Row(levels: [[HeaderItem("Vary", "")], [HeaderItem("Vary", "a")]], fields: ["Vary: a"]),
            Row(levels: [[HeaderItem("X", "")]], fields: ["X: "]),
            Row(
                levels: [[HeaderItem("Set-Cookie", "a=1")], [HeaderItem("Set-Cookie", "b=2")]],
                fields: ["Set-Cookie: b=2"]),
            Row(levels: [[HeaderItem("X", ["a", "b"])]], fields: ["X: a", "X: b"]),
            Row(
                levels: [[HeaderItem("TE", ["a", "b"])], [HeaderItem("te", ["c", "d"])]],
                fields: ["TE: a, b, c, d"]),
            Row(levels: [[HeaderItem("X", "a")], [HeaderItem("x", [])]], fields: []),
        ]
    }

    @Test(arguments: rows())
    func `35.1 35.2 35.3 how headers of levels become one`(row: Row) throws {
        var endpoint = try EndpointDefinition(fixture.service)
        for level in row.levels { endpoint = try endpoint.endpoint("", RequestProperties(headers: level)) }
        let definition = try endpoint.request("GET")
        #expect(definition.headers.fields.map { "\($0.name): \($0.value)" } == row.fields)
        #expect(try fixture.sent(definition).headers.fields.map { "\($0.name): \($0.value)" } == row.fields)
    }

    @Test(arguments: Headers.listNames.sorted())
    func `35.2 every list is joined, and so is one in capitals`(name: String) throws {
        let definition = try fixture.define(
            endpoint: RequestProperties(headers: [HeaderItem(name, "a")]),
            RequestProperties(headers: [HeaderItem(name.uppercased(), "b")]))
        #expect(definition.headers[name] == "a, b")
    }

    @Test(arguments: [
        HeaderItem("X", "a\r\nInjected: b"), HeaderItem("X Y", "a"), HeaderItem("", "a"),
        HeaderItem("X", "a\u{0}"),
    ])
    func `34.5 a header that can't be sent is an error`(item: HeaderItem) throws {
        #expect(mistake { try fixture.define(RequestProperties(headers: [item])) } == .invalidHeader)
        let plain = try fixture.define()
        #expect(mistake { try plain.settingHeader(item.name, item.values) } == .invalidHeader)
        #expect(mistake { try plain.addingHeader(item.name, item.values) } == .invalidHeader)
    }

    @Test func `35.4 modifiers replace, join and remove, whatever the case`() throws {
        let plain = try fixture.define()
        let one = try plain.settingHeader("Name", ["value"])
        let again = try one.settingHeader("name", ["value1"])
        #expect(try again == plain.settingHeader("Name", ["value1"]))
        #expect(again.headers.fields == [.init("Name", "value1")])
        #expect(try one.settingHeader("NAME", []) == plain && one.removingHeader("nAme") == plain)
        #expect(try plain.removingHeader("missing") == plain)
        let added = try plain.addingHeader("Accept", ["a"]).addingHeader("accept", ["b"])
        #expect(added.headers["Accept"] == "a, b")
        #expect(try added.settingHeader("accept", ["c"]).headers["Accept"] == "c")
        #expect(try one.addingHeader("Name", ["value2"]).headers["Name"] == "value2")
    }

    @Test func `35.4 35.5 blocks are replaced, and taken out where that is said`() throws {
        try fixture.configure { $0.configuration.headers = Headers([("X", "block"), ("Y", "block")]) }
        let own = try fixture.define(RequestProperties(headers: [HeaderItem("x", "own")]))
        #expect(try fixture.sent(own).headers.fields == [.init("Y", "block"), .init("x", "own")])
        #expect(try fixture.sent(try own.removingHeader("X")).headers["X"] == "block")
        let out = try own.adding(RequestProperties(headers: [HeaderItem("X", [])]))
        #expect(try fixture.sent(out).headers.fields == [.init("Y", "block")])
    }
}
