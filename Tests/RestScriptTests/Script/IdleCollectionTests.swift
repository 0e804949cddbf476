import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// A script's garbage is collected while the script is idle.
@EngineActor
@Suite(.leakChecked) struct IdleCollectionTests {
    private let fixture = ScriptFixture()

    /// Loads a script, and collects its garbage as a host with the system's clock does.
    private func load(_ source: String) throws -> LuaState {
        try fixture.load(source)
        let context = try #require(fixture.context)
        IdleCollection(of: context.state, on: fixture.scheduler).onEnd = { [weak context] in
            context?.services.dropAboveLimits() ?? false
        }
        return context.state
    }

    /// A part takes as long as the machine needs, so the number of parts is open.
    private func rest(until isDone: () -> Bool) {
        for _ in 0..<10_000 where !isDone() { fixture.advance(1, step: 1) }
    }

    @Test func `a large text and resources that nobody holds go a second after the last run`() throws {
        let state = try load(
            """
            api.cached_resource_count_limit = 50
            rest.every(100, function()
              local list = { string.rep("x", 4 << 20) }
              for i = 1, 100 do list[#list + 1] = api:resource("r" .. i):add_observer(function() end, list) end
            end)
            """)
        let before = state.memoryUsed
        let api = try #require(fixture.host?.services.first)
        fixture.advance(100)
        #expect(state.hasGrown)
        #expect(state.memoryUsed > before + 4 << 20)
        #expect(api.liveResources.count == 100)
        rest { !state.hasGrown }
        #expect(state.memoryUsed < before + 1 << 20)
        #expect(api.liveResourceCount <= 50)
        fixture.close()
    }

    @Test func `kept memory is no growth, and more of it is reported again`() throws {
        let state = try load(
            "kept = {} rest.every(100, function() kept[#kept + 1] = string.rep('x', 4 << 20) end)")
        for _ in 1...3 {
            rest { state.hasGrown }
            #expect(state.hasGrown)
            rest { !state.hasGrown }
            #expect(!state.hasGrown)
        }
        #expect(state.memoryUsed > 12 << 20)
        fixture.close()
    }

    @Test func `a state that is closed meanwhile is left alone`() throws {
        let state = try load("rest.every(100, function() local x = string.rep('x', 4 << 20) end)")
        fixture.advance(100)
        #expect(state.hasGrown)
        fixture.close()
        fixture.advance(10)
    }
}
