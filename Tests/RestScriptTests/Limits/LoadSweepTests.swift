import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Refuses each allocation, one per round, while a script is loaded beside a running one, as in a reload.
@EngineActor
@Suite struct LoadSweepTests {
    private static let source = """
        local rest = require "resthost"
        local helper = require "helper"
        local api = rest.service { name = "api", base_url = "https://api.test/v1" }
        api:configure("**", function(c) c.headers["X-A"] = "a" end)
        api:configure("/users/*", { methods = { "GET" } }, function(c) c.expiration_time = 5 end)
        api:configure_transformer("/users/*", function(content) return helper.shape(content) end)
        api:configure(rest.regex("x+"), function(c)
          c:decorate_requests(function(resource, request) return request:on_completion(function() end) end)
        end)
        local ok, message = pcall(rest.service, { name = 1 })
        assert(not ok)
        rest.after(10, function() end)
        rest.spawn(function() rest.sleep(1) end)
        rest.store:set("loaded", { at = rest.now() })
        local co = coroutine.wrap(function() coroutine.yield({}) end)
        co()
        api:resource("/users/1"):add_observer(function() end)
        """

    private let files = TemporaryFolder()

    /// Loads in a new state whose nth allocation is refused; returns whether there was such an allocation.
    private func load(_ fixture: ScriptFixture, refusing nth: Int) throws -> Bool {
        var options = ScriptOptions()
        options.modulePaths = [files.path]
        let state = ScriptState(options, searchRoots: [])
        state.lua.refuseAllocation(nth)
        var failure: Diagnostic?
        var host: ScriptHost?
        do throws(Diagnostic) {
            host = try ScriptHost(
                source: Array(Self.source.utf8), path: "test.lua", engine: fixture.engine, options: options,
                sharing: state)
        } catch { failure = error }
        let wasRefused = state.lua.hasRefusedAllocation
        state.lua.refuseAllocation(0)
        if let failure { #expect(failure.message.contains("not enough memory"), "\(nth): \(failure)") }
        #expect(state.lua.main.top == 0)
        _ = host?.close()
        host = nil
        fixture.settle()
        let report = state.close()
        #expect(report.hostObjects == 0 && report.references == 0 && report.bytes == 0, "\(nth): \(report)")
        return wasRefused
    }

    @Test func `a load that any allocation may end leaves nothing, and the host beside it goes on`() throws {
        files.write("helper.lua", "return { shape = function(content) return { shaped = content } end }")
        let fixture = ScriptFixture()
        fixture.options.modulePaths = [files.path]
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/**", .text(200, "fine"))
        try fixture.load(Self.source + " rest.every(100, function() print('alive') end)", prelude: "")
        var nth = 1
        while try load(fixture, refusing: nth) {
            nth += 1
            try #require(nth < 20_000)
        }
        #expect(nth > 100)
        fixture.advance(100, step: 100)
        #expect(fixture.take().contains("alive"))
        fixture.close()
    }
}
