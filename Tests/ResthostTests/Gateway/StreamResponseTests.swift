import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Answers that a route writes while they are sent, through `host:request` (rules 72).
@EngineActor
struct StreamResponseTests {
    @Test func `72.5 a streamed answer comes as it is written, and ends with the client`() async throws {
        let log = try await GatewayScript.run(
            """
            gateway:route("GET", "/rows", function()
              return rest.stream_response({ status = 201, headers = { ["X-A"] = "1" } }, function(write)
                for i = 1, 3 do write(i .. ";") rest.sleep(10) end
              end)
            end)
            gateway:route("GET", "/endless", function()
              return rest.stream_response(function(write)
                local ending <close> = setmetatable({}, { __close = function() print("ended") end })
                while true do write("x") rest.sleep(1) end
              end)
            end)
            gateway:route("GET", "/kept", { expiration_time = 5 }, function()
              return rest.stream_response(function(write) write("x") end)
            end)
            gateway:route("GET", "/broken", function()
              return rest.stream_response(function(write) write("x") error("half way") end)
            end)
            gateway:route("GET", "/large", function()
              return rest.stream_response(function(write)
                for _ = 1, 10 do write(("x"):rep(100000)) end
                print("written")
              end)
            end)
            """,
            """
            local rows = ask("GET", "/rows")
            t.equal({ rows.status, rows.headers["x-a"], rows.body, rows.is_open }, { 201, "1", "1;", true })
            host:advance(10)
            t.equal(rows.body, "1;2;")
            host:advance(20)
            t.equal({ rows.body, rows.is_open, rows.is_broken }, { "1;2;3;", false, false })
            t.equal(ask("HEAD", "/rows").body, "")
            local endless = ask("GET", "/endless")
            endless:close()
            t.equal(ask("GET", "/kept").status, 500)
            t.equal(ask("GET", "/broken").is_broken, true)
            t.equal(#ask("GET", "/large").body, 1000000)
            """)
        #expect(log.filter { $0 == "ended" }.count == 1)
        #expect(log.filter { $0 == "written" }.count == 1)
        #expect(log.contains { $0.contains("half way") })
    }

    @Test func `72.6 events of a route have heartbeats between them`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("GET", "/events", function()
              return rest.stream_response({ content_type = "text/event-stream" }, function(write)
                write { event = "a", data = "1\\n2", id = "x", retry = 5 }
                rest.sleep(40)
                write("data: half")
                rest.sleep(40)
                write("\\n\\n")
              end)
            end)
            gateway:route("GET", "/wrong", function()
              return rest.stream_response({ content_type = "text/event-stream" }, function(write)
                write { event = "a\\nb" }
              end)
            end)
            """,
            """
            local stream = ask("GET", "/events")
            t.equal(stream.body, "event: a\\nid: x\\nretry: 5\\ndata: 1\\ndata: 2\\n\\n")
            t.equal(stream:next_event(), { event = "a", data = "1\\n2", id = "x" })
            for _ = 1, 3 do host:advance(12) end
            t.matches(stream.body, "\\n\\n:\\n\\n")
            local before = #stream.body
            for _ = 1, 3 do host:advance(12) end
            t.matches(stream.body, "data: half$")
            t.equal(stream:next_event().data, "half")
            t.equal(stream:next_event(), nil)
            t.equal(ask("GET", "/wrong").is_broken, true)
            """)
    }
}
