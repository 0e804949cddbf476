import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// A script's result for outside readers is text from the beginning, and has the same content as a tree.
@Suite(.leakChecked) @EngineActor
struct PublishedTransformTests {
    enum Form: CaseIterable, Sendable { case function, module }

    /// Loads `path` for readers; returns the content that they see, and the entity.
    private func load(
        _ path: String = "json", in fixture: ModuleFixture, isRead: Bool = true
    ) async throws -> (text: String?, entity: Entity?) {
        let service = try #require(fixture.script.host?.services.first)
        let resource = service.resource(path)
        let answerSnapshot = isRead ? resource.answerSnapshotForReaders() : nil
        resource.load()
        await fixture.settle()
        let answer = answerSnapshot?.answer(at: fixture.script.clock.uptime)
        return (answer.map { String(decoding: $0.content.body, as: UTF8.self) }, resource.latestData)
    }

    private func fixture(_ body: String, _ form: Form, more: String = "") throws -> ModuleFixture {
        let function = "function(c, e) \(body) end"
        let fixture = try ModuleFixture(["m": "return \(function)"])
        try fixture.load(
            """
            api:configure(function(c) c.pipeline.model:add(\(form == .module ? "'m'" : function)) end)
            \(more)
            """)
        return fixture
    }

    private func isText(_ entity: Entity?) -> Bool {
        if case .value(let tree)? = entity?.content { tree.text != nil } else { false }
    }

    @Test(
        arguments: [
            ("{ id = c.id, tags = c.tags }", #"{"id":7,"tags":["a","b"]}"#, true),
            ("{ 1, 2.0, 'x\\n', rest.null, { }, rest.json.array() }", #"[1,2.0,"x\n",null,{},[]]"#, true),
            ("{ z = 1, a = 2, m = 3 }", #"{"a":2,"m":3,"z":1}"#, true),
            ("setmetatable({ 1 }, {})", "[1]", false),
            ("rest.json.object({ [1] = 2 })", #"{"1":2}"#, false),
            ("{ a = setmetatable({ b = 1 }, { __index = {} }) }", #"{"a":{"b":1}}"#, false),
        ] as [(String, String, Bool)], Form.allCases)
    func `readers see the same, be it text or tree`(row: (String, String, Bool), form: Form) async throws {
        let fixture = try fixture("return \(row.0)", form)
        let (text, entity) = try await load(in: fixture)
        #expect(text == row.1 && isText(entity) == row.2)
        #expect(entity?.content.tree == (try Tree(json: row.1)) || !row.2)
        #expect(try entity?.content.tree?.json() == Array(row.1.utf8))
        await fixture.close()
    }

    @Test(arguments: Form.allCases)
    func `without readers it is a tree`(form: Form) async throws {
        let fixture = try fixture("return { id = c.id }", form)
        let (_, entity) = try await load(in: fixture, isRead: false)
        #expect(!isText(entity) && entity?.content.tree?["id"]?.int == 7)
        await fixture.close()
    }

    @Test(arguments: Form.allCases)
    func `what has no form in JSON is still an error for readers`(form: Form) async throws {
        let fixture = try fixture("return { 0 / 0 }", form)
        let (text, entity) = try await load(in: fixture)
        #expect(text == nil && !isText(entity) && entity?.content.tree?[0]?.double?.isNaN == true)
        await fixture.close()
    }

    @Test(arguments: Form.allCases)
    func `large values are trees`(form: Form) async throws {
        let fixture = try fixture("return { ('x'):rep(300000) }", form)
        let (text, entity) = try await load(in: fixture)
        #expect(text?.utf8.count == 300_004 && !isText(entity))
        await fixture.close()
    }

    @Test(arguments: Form.allCases)
    func `only what the last step makes is text`(form: Form) async throws {
        let last = "function(c) return { c.id, c.more.list[2] } end"
        let fixture = try fixture(
            "c.more = { list = { 1, 2 } } return c", form,
            more: "api:configure(function(c) c.pipeline.cleanup:add(\(last)) end)")
        let (text, entity) = try await load(in: fixture)
        #expect(text == "[7,2]" && isText(entity))
        await fixture.close()
    }

    @Test(arguments: Form.allCases)
    func `18.10 a function that returns the text keeps the body, one that returns the table doesn't`(
        form: Form
    ) async throws {
        let same = "rest.response_transformer(function(response) return response end)"
        let fixture = try fixture(
            "return c", form, more: "api:configure(function(c) c.pipeline.cleanup:add(\(same)) end)")
        for (path, isRaw) in [("text", true), ("json", false)] {
            let (shown, entity) = try await load(path, in: fixture)
            let content = try EncodedContent(try #require(entity))
            #expect(content.isRaw == isRaw && shown == String(decoding: content.body, as: UTF8.self))
        }
        await fixture.close()
    }

    /// Making a tree from the text takes longer than making one at once.
    @Test(arguments: Form.allCases)
    func `values that scripts look at become trees before long`(form: Form) async throws {
        let fixture = try fixture(
            "return { id = c.id }", form,
            more: """
                api:resource("json"):add_observer(function(r, event)
                  if event == "new_data(network)" then print(r.latest_data.content.id) end
                end)
                """)
        let first = try await load(in: fixture)
        #expect(first.text == #"{"id":7}"# && fixture.take().last == "7")
        let second = try await load("list", in: fixture)
        #expect(second.text == "{}" && !isText(second.entity))
        await fixture.close()
    }
}
