import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct DefinitionExplanationTests {
    let fixture = EngineFixture()

    @Test func `34.7 each property has its level`() throws {
        let service = try EndpointDefinition(fixture.service).endpoint(
            "", RequestProperties(headers: [HeaderItem("Authorization", "Bearer abcdefgh")], style: .comma),
            origin: "a.lua:1")
        let definition = try service.endpoint(
            "users", RequestProperties(query: [QueryItem("v", .integer(2))]), origin: "a.lua:2"
        ).request(
            "POST", RequestProperties(path: [PathComponent("x")], body: .json(["a": 1])), origin: "a.lua:3"
        ).settingQuery("v", .integer(3), origin: "a.lua:4")
        let properties = definition.explain().properties.map {
            "\($0.kind.rawValue) \($0.name) = \($0.value): \($0.level)"
        }
        #expect(
            properties == [
                "header Authorization = Bearer ***: endpoint (a.lua:1)",
                "query v = 3: modifier 'setting_query' (a.lua:4)", "path 1 = x: request (a.lua:3)",
                "body json = 7 bytes: request (a.lua:3)", "query_style  = comma: endpoint (a.lua:1)",
            ])
    }

    @Test func `34.7 39.1 own functions are shown behind the blocks, and so is what is sent`() throws {
        try fixture.configure { $0.configuration.headers.set("X", "block") }
        let function = ConfigurationFunction(origin: "a.lua:5") { draft in
            draft.configuration.expirationTime = .seconds(5)
            draft.configuration.headers.set("Y", "own")
        }
        let definition = try fixture.define(
            path: "a",
            RequestProperties(headers: [HeaderItem("Z", "request")], configuration: [function]))
        let explanation = definition.explain()
        #expect(explanation.blocks.last?.origin == "a.lua:5" && explanation.blocks.last?.changes.count == 2)
        #expect(
            explanation.draft?.headers.map { "\($0.name)=\($0.value)" } == ["X=block", "Y=own", "Z=request"])
        #expect(explanation.failures.isEmpty && fixture.transport.requests.isEmpty)
        #expect(explanation.tree["properties"].map { Array($0.elements).count } == 2)
    }

    @Test func `34.7 a function that fails is the reason`() throws {
        struct Wrong: Error {}
        let function = ConfigurationFunction(origin: "a.lua:5") { _ in throw Wrong() }
        let explanation = try fixture.define(RequestProperties(configuration: [function])).explain()
        #expect(explanation.failures.count == 1 && explanation.draft == nil)
        #expect(explanation.blocks.last?.failure != nil)
    }

    @Test func `the same command line for the same definition`() throws {
        let definition = try fixture.define(
            "PUT", path: "a", RequestProperties(body: .json(["token": "abcdefgh"])))
        let line = "curl -X PUT 'https://api.test/v1/a' -H 'Content-Type: application/json' --data-raw "
        #expect(try definition.curl().description == line + #"'{"token":"***"}'"#)
        #expect(try definition.curl(mask: nil).description == line + #"'{"token":"abcdefgh"}'"#)
    }
}
