import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct StaleContentTests {
    @Test func `44.2 old data stands in for an API in trouble in routes, jobs and custom requests`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/**", .text(200, "old"))
        try fixture.load(
            """
            api:configure("**", function(c) c.expiration_time = 10 c.stale_if_error = 60 end)
            local a = api:resource("/a")
            local gateway = rest.gateway { listen = "127.0.0.1:0" }
            gateway:route("GET", "/composed", function()
              local content, err = a:get()
              if not content then return nil, err end
              return content .. " " .. (a.latest_error and a.latest_error.http_status_code or "fresh")
            end)
            local function ask()
              rest.spawn(function()
                print("job", a:get())
                print("definition", (api:define("GET", "/a"):get()))
                local custom = rest.custom_request { start = function(complete)
                  local content, err = a:get()
                  complete(err or rest.entity { content = content, content_type = "text/plain" })
                end }
                custom:start()
                local entity = custom:await()
                print("custom", entity and entity.content)
              end)
            end
            ask()
            rest.every(20, ask)
            """)
        #expect(fixture.lines == ["job\told", "definition\told", "custom\told"])
        let route = try #require(fixture.host?.gateway?.routes.first)
        func answer() -> String {
            var text = ""
            route.handler.answer(ServedRequest(method: "GET", path: "/composed")) { result in
                text = (try? result.entity.get().content.text) ?? "failed"
            }
            fixture.settle()
            return text
        }
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/**", .text(503, "down"))
        fixture.advance(20)
        #expect(fixture.lines.suffix(3) == ["job\told", "definition\told", "custom\told"])
        #expect(answer() == "old 503")
        fixture.advance(60)
        #expect(fixture.lines.last?.contains("old") == false && answer() == "failed")
        fixture.close()
    }
}
