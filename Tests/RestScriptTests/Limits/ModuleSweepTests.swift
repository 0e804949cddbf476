import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestEngine
@testable import RestScript

/// Refuses each allocation, one per round, in a state of transformer modules: while it loads them, and while
/// they transform.
@Suite(.leakChecked) @EngineActor
struct ModuleSweepTests {
    private static let modules = [
        "helper": "return { shape = function(content) return { shaped = content, rest.json.array {} } end }",
        "shape": """
        local helper = require "helper"
        local function transform(content, entity)
          if content == "raise" then error("on purpose") end
          if content == "fail" then return nil, "because" end
          rest.store:set("seen", { content, entity.content_type })
          local all = { rest.store:get("seen"), rest.store:incr("count"), rest.json.decode('[{"a":[1,2]}]') }
          all.headers = entity.headers["content-type"] .. entity:header_values("x-many")[1]
          all.shaped = helper.shape(content)
          all.text = rest.json.encode(all.shaped) .. entity.text .. tostring(entity)
          return all
        end
        return { transform = transform, output = "table", transform_errors = true, description = "shapes" }
        """,
    ]

    private let fixture: ModuleFixture

    init() throws { fixture = try ModuleFixture(Self.modules) }

    /// A state whose work, otherwise its thread's, is done here; and the version of its module.
    private func makeState() throws -> (state: ModuleState, pool: ModulePool, version: ModuleVersion) {
        let context = try #require(fixture.script.context)
        let pool = context.modules
        return (ModuleState(ModuleSettings(context)), pool, try #require(pool.catalog["shape"]))
    }

    private func work(_ text: String, _ pool: ModulePool, fails: Bool = false) -> OffloadedJob {
        let context = PipelineContext(url: "https://api.test/v1/x", method: "GET", now: 5, status: 200)
        let entity = Entity(
            content: .text(text), contentType: "text/x",
            headers: Headers([("X-Many", "a"), ("X-Many", "b")]), timestamp: 5)
        let error = RequestError(
            entity: entity, cause: .transport(TransportError(.timeout, message: "late")), timestamp: 5)
        let transformer = ModuleTransformer(pool: pool, module: "shape", rules: nil, name: nil)
        return OffloadedJob(
            response: fails ? .failure(error) : .success(entity), context: context,
            parts: [.step(PipelineStage.Step(transformer, nil), stage: "model")], isLogged: false)
    }

    /// The outcome of a job; equal for equal responses.
    private func outcome(_ answer: ModuleState.Answer) -> String {
        guard case .outcome(let outcome) = answer else { return "no outcome" }
        switch outcome.response {
        case .success(let entity): return "success \(entity.content.kind)"
        case .failure(let error): return "\(error) \(error.userMessage) \(error.entity?.content.kind ?? "")"
        }
    }

    @Test func `a module that can't be loaded for want of memory leaves nothing`() async throws {
        try fixture.load(#"api:configure_transformer("**", "shape")"#)
        let (state, _, _) = try makeState()
        let lua = state.values.state
        func load() -> LuaError? {
            guard case .loaded(let result) = state.perform(.load("shape", ModuleFiles())) else { return nil }
            if case .failure(let error) = result { return error }
            return nil
        }
        for _ in 0..<2 { #expect(load() == nil) }
        let before = LuaFootprint(lua)
        var failures = 0
        try AllocationSweep().run({ lua }) { nth in
            guard let error = load() else { return }
            failures += 1
            #expect(error.kind == .memory && error.message.contains("not enough memory"), "\(nth): \(error)")
            #expect(error.file != nil, "\(nth)")
        } check: { nth in
            #expect(lua.main.top == 0)
            if nth % 20 == 0 { #expect(load() == nil, "after \(nth)") }
        }
        #expect(failures > 30)
        LuaFootprint(lua).expectBack(to: before)
        let report = state.close()
        #expect(report.isClean, "\(report)")
        await fixture.close()
    }

    @Test(arguments: ["plain", "raise", "fail", "an error's body"])
    func `a response whose transformer gets no memory fails, and the next does not`(text: String) async throws
    {
        try fixture.load(#"api:configure_transformer("**", "shape")"#)
        let (state, pool, version) = try makeState()
        let lua = state.values.state
        let job = ModuleState.Job.transform(
            work(text, pool, fails: text.contains("error")), ["shape": version])
        let expected = outcome(state.perform(job))
        #expect(outcome(state.perform(job)) == expected)
        let before = LuaFootprint(lua)
        var failures = 0
        try AllocationSweep().run({ lua }) { nth in
            let found = outcome(state.perform(job))
            guard found != expected else { return }
            failures += 1
            #expect(found.contains("not enough memory") || text.contains("error"), "\(nth): \(found)")
        } check: { nth in
            #expect(lua.main.top == 0)
            if nth % 20 == 0 {
                #expect(outcome(state.perform(job)) == expected, "after \(nth)")
            }
        }
        if text == "plain" || text == "raise" { #expect(failures > 3 && state.isSpoiled) }
        LuaFootprint(lua).expectBack(to: before)
        let report = state.close()
        #expect(report.isClean, "\(report)")
        await fixture.close()
    }
}
