import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Doubles a text.
private struct Doubling: Transformer {
    var description: String { "doubling" }

    func process(_ response: Response, _ context: PipelineContext) -> Response {
        guard case .success(var entity) = response, let text = entity.content.text else { return response }
        entity.content = .text(text + text)
        return .success(entity)
    }
}

@Suite(.leakChecked) @EngineActor
struct NamedTransformerTests {
    private func lines(_ source: String) throws -> [String] {
        let fixture = ScriptFixture()
        fixture.options.transformers = ["acme.double": Doubling()]
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source)
        fixture.close()
        return fixture.lines
    }

    @Test func `a script names a transformer of the program's, in every place`() throws {
        let lines = try lines(
            """
            api:configure_transformer("text", "acme.double")
            api:configure(function(c) c.pipeline.cleanup:add("acme.double", { content_types = { "text/*" } }) end)
            local own = rest.content_transformer { transform = "acme.double" }
            api:configure_transformer("text", { action = "append" }, own)
            print(own.description)
            rest.spawn(function() print(api:resource("text"):get()) end)
            """)
        #expect(lines == ["doubling", String(repeating: "hello", count: 8)])
    }

    @Test func `an unknown name says what there is; its rules are its own`() throws {
        let lines = try lines(
            """
            print(select(2, pcall(api.configure_transformer, api, "text", "acme.doubel")))
            print(select(2, pcall(api.configure_transformer, api, "text", { input = "text" }, "acme.double")))
            """)
        #expect(
            lines == [
                "the transformer 'acme.doubel' is no transformer: this program registers 'acme.double', and "
                    + "module 'acme.doubel' not found: no acme/doubel.lua or acme/doubel/init.lua in '.'",
                "option 'input' belongs to a function: this transformer has rules of its own",
            ])
    }
}
