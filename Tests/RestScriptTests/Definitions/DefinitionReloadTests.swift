import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionReloadTests {
    @Test func `definitions of a script that was replaced work to its end`() throws {
        let source = """
            local d = api:endpoint("echo", { configure = function(c) c.headers["X-Version"] = "VERSION" end }):define("GET")
            rest.on_reload(function()
              local entity, err = d:send():await()
              print("VERSION", entity and entity.text or tostring(err))
            end)
            """
        let reload = try ReloadFixture(source.replacing("VERSION", with: "1"))
        #expect(reload.reload(source.replacing("VERSION", with: "2")) == nil)
        #expect(reload.take() == ["1\tGET /echo X-Version=1"])
        reload.close()
    }

    @Test func `a request in flight ends with the configuration it began with`() throws {
        let reload = try ReloadFixture(
            """
            local d = api:define("GET", "slow", { configure = function(c)
              c.pipeline.model:add(function(content) return content .. " of 1" end)
            end })
            d:send():on_success(function(entity) print(entity.text) end)
            """)
        #expect(reload.reload("print 'loaded'") == nil)
        reload.fixture.advance(1)
        #expect(reload.take() == ["loaded", "late of 1"])
        reload.close()
    }
}
