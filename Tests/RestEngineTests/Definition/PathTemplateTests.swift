import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct PathTemplateTests {
    let fixture = EngineFixture(baseURL: "https://api.test/")

    private func filled(_ template: String, _ values: [String: String]) throws -> String {
        let template = try PathTemplate(template)
        let components = try values.mapValues { try PathComponent($0) }
        return try EndpointDefinition(fixture.service)
            .request("GET", path: template.filled(components)).url.path
    }

    @Test(
        arguments: [
            ("{login}/repos", ["login": "octocat"], "/octocat/repos"),
            ("/{a}/{b}/{a}", ["a": "1", "b": "2"], "/1/2/1"),
            ("{a}", ["a": "x/y z%"], "/x%2Fy%20z%25"), ("v1 x/{a}.json", ["a": "é"], "/v1%20x/%C3%A9.json"),
            ("plain/text", [:], "/plain/text"), ("", [:], "/"), ("{a}/", ["a": "b"], "/b/"),
        ] as [(String, [String: String], String)])
    func `37.6 37.7 values take the place of names`(template: String, values: [String: String], path: String)
        throws
    {
        #expect(try filled(template, values) == path)
    }

    @Test(arguments: ["{a", "a}", "{}", "{a b}", "{1a}", "{{a}}", "{a{b}}", "}{", "{é}"])
    func `37.6 braces and names that are none`(template: String) {
        #expect(mistake { try PathTemplate(template) } == .malformedTemplate)
    }

    @Test func `37.7 a name without a value, or with an empty one`() {
        #expect(mistake { try filled("{a}/{b}", ["a": "1"]) } == .missingValue)
        #expect(mistake { try filled("{a}", ["a": ""]) } == .emptyValue)
        #expect(mistake { try filled("{a}", ["a": ".."]) } == .dotSegment)
    }

    @Test func `37.4 two harmless values make no dot segment`() throws {
        let parts = try PathTemplate("x/.{a}/y")
        #expect(mistake { try parts.filled(["a": PathComponent.raw(EscapedText("/b"))]) } == .dotSegment)
        #expect(try parts.names == ["a"] && PathTemplate("{b}{a}{b}").names == ["b", "a"])
    }
}
