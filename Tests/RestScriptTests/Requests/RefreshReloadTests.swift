import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Token refreshes that a reload finds under way.
@Suite(.leakChecked) @EngineActor
struct RefreshReloadTests {
    @Test("a refresh that hangs belongs to its script: after a reload another one begins")
    func reload() throws {
        let scripts = try ReloadFixture("")
        let server = try TokenServer(scripts.fixture.transport)
        server.valid = 2
        func script(refreshing body: String) -> String {
            """
            local token = "t1"
            api:configure("**", function(c)
              c.headers["Authorization"] = token
              c:decorate_requests(rest.refresh_on(401, function() \(body) end))
            end)
            """
        }
        scripts.reload(script(refreshing: "print('hangs') rest.sleep(100000) return true"))
        let old = try scripts.api.resource("a").load()
        scripts.fixture.advance(10)
        #expect(scripts.take() == ["hangs"] && old.state == .inProgress)
        scripts.reload(
            script(refreshing: "print('renews') token = 't2' api:invalidate_configuration() return true"))
        let new = try scripts.api.resource("b").load()
        scripts.fixture.advance(1)
        #expect(scripts.take() == ["renews"] && old.state == .inProgress)
        #expect(try scripts.api.resource("b").latestData != nil && new.state == .completed)
        // The old script is closed after three minutes, and the function that hangs with it.
        scripts.fixture.advance(180)
        #expect(old.state == .completed)
        #expect(try scripts.api.resource("a").latestData == nil)
        #expect(server.journal == ["a t1", "b t1", "b t2"])
        scripts.close()
        #expect(scripts.fixture.engine.openRequests == 0)
    }
}
