import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ClosingTests {
    /// Loads a script, closes it at once, and lets requests in flight finish.
    private func closeInFlight(_ source: String) throws -> ScriptFixture {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source)
        fixture.close()
        fixture.advance(3)
        return fixture
    }

    @Test(arguments: [
        "api:resource('slow'):load():on_success(function() print('hook') end):on_completion(print)",
        "api:configure_transformer('**', function() print('transformer') end) api:resource('slow'):load()",
        "api:configure(function(c) c.pipeline.model:add(rest.response_transformer(print)) end) api:resource('slow'):load()",
        "rest.spawn(function() print(rest.all { api:resource('slow'):load() }) end)",
        "rest.spawn(function() print(rest.gather({ 1, 2 }, 1, function() return api:resource('slow'):get() end)) end)",
        "rest.spawn(function() print(api:resource('slow'):load():await()) end)",
        "rest.spawn(function() print(api:resource('slow'):get()) end)",
        "rest.spawn(function() rest.sleep(1) print(1) end)",
        "rest.after(1, function() print(1) end) rest.every(1, function() print(1) end)",
        "local job = rest.spawn(function() rest.sleep(1) end) rest.spawn(function() job:await() rest.sleep(1) print(1) end)",
        "api:resource('slow'):load():on_completion(function() rest.sleep(1) print(1) end)",
    ])
    func `nothing of a closed script runs, and nothing stays`(source: String) throws {
        #expect(try closeInFlight(source).lines == [])
    }

    @Test(arguments: [
        "rest.spawn(print)", "rest.after(1, print)", "rest.every(1, print)", "rest.all {}",
        "rest.gather({}, 1, print)",
    ])
    func `closing runs what is to be closed, which starts nothing`(call: String) throws {
        let fixture = try closeInFlight(
            """
            rest.spawn(function()
              local guard <close> = setmetatable({}, { __close = function()
                print(pcall(function() \(call) end))
              end })
              rest.sleep(1)
            end)
            """)
        let name = call.prefix { $0 != "(" && $0 != " " }
        #expect(
            fixture.lines == ["false\ttest.lua:3: \(name) starts nothing while the script is being closed"])
    }

    @Test(arguments: [
        "api:configure(function(c) c.expiration_time = 5 end)",
        "api:configure(function(url) return true end, function(c) end)",
        "api:configure(function(c) end) api:configure_transformer('**', function(c) return c end)",
    ])
    func `requests of a service whose script is gone fail`(source: String) throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source)
        let service = try #require(fixture.host?.services.first)
        fixture.close()
        let request = service.resource("text").request("GET")
        fixture.settle()
        let error = try #require(request.info?.response.error)
        #expect("\(error)".hasSuffix("the script has been closed"), "\(error)")
        service.flushUnusedResources()
    }

    @Test func `closing twice is fine`() throws {
        let fixture = ScriptFixture()
        try fixture.load("rest.every(1, print)")
        let host = try #require(fixture.host)
        #expect(host.close() && host.close() && host.isClosed && !host.hasWork)
        fixture.close()
    }
}
