import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `rest.stream` and `to_file`: bodies that are not held in memory.
@Suite(.leakChecked) @EngineActor
struct StreamTests {
    private func fixture() throws -> ScriptFixture {
        let fixture = ScriptFixture()
        let body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/large",
            .response(headers: Headers([("Content-Type", "text/plain"), ("ETag", "\"1\"")]), body: body))
        try fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/wrong", .text(404, "none"))
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/empty", .response(204))
        return fixture
    }

    private func lines(_ source: String, _ fixture: ScriptFixture) throws -> [String] {
        try fixture.load("rest.spawn(function()\n\(source)\nend)")
        for _ in 0..<50 { fixture.advance(1) }
        let lines = fixture.lines
        fixture.close()
        return lines
    }

    /// Repeats a failed request for the large body.
    private static let repeating = """
        api:configure("/large", function(c)
          c:decorate_requests(function(resource, request)
            return request:chained(function(info)
              if info.response.error then return rest.pass_to(request:repeated()) end
              return rest.use_this_response
            end)
          end)
        end)

        """

    @Test func `56.2 a function gets the pieces one after the other, and may wait`() throws {
        let lines = try lines(
            """
            local bytes, calls, running = 0, 0, false
            local entity, err = rest.stream(api:resource("large"):request("GET"), function(chunk)
              assert(not running, "one at a time")
              running = true
              calls, bytes = calls + 1, bytes + #chunk
              rest.sleep(1)
              running = false
            end)
            print(bytes, calls > 1, entity.status, entity.etag, #entity.content, err)
            """, try fixture())
        #expect(lines == ["50000\ttrue\t200\t\"1\"\t0\tnil"])
    }

    @Test func `definitions can be streamed, and what has no body`() throws {
        let lines = try lines(
            """
            local bytes = 0
            local large = api:define("GET", "large")
            print(rest.stream(large, function(chunk) bytes = bytes + #chunk end).status, bytes)
            print(rest.stream(api:define("GET", "empty"), error).status)
            """, try fixture())
        #expect(lines == ["200\t50000", "204"])
    }

    @Test func `what the function raises ends the request and is the error`() throws {
        let fixture = try fixture()
        let lines = try lines(
            """
            local calls = 0
            local request = api:resource("large"):request("GET")
            local entity, err = rest.stream(request, function() calls = calls + 1 error("enough") end)
            print(entity, err.cause.type, err.cause.message, calls, request.is_cancelled)
            """, fixture)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("nil\tscript_error\t") == true)
        #expect(lines.first?.contains("enough\t1\ttrue") == true, "\(lines)")
        #expect(fixture.transport.transfersInFlight == 0)
    }

    @Test func `56.1 the body of an error is the error's`() throws {
        let lines = try lines(
            """
            local entity, err = rest.stream(api:resource("wrong"):request("GET"), print)
            print(entity, err.http_status_code, err.text)
            """, try fixture())
        #expect(lines == ["nil\t404\tnone"])
    }

    @Test func `too late is said, and what is no request`() throws {
        let lines = try lines(
            """
            local request = api:resource("large"):request("GET")
            request:await()
            print(pcall(rest.stream, request, print))
            print(pcall(rest.stream, rest.custom_request { start = function(complete) end }, print))
            print(pcall(rest.stream, "x", print))
            """, try fixture())
        let late =
            "a request can be streamed as long as no answer has come, and if it asks a server: give rest.stream a definition, or a request as soon as it is made"
        #expect(lines.count == 3)
        #expect(lines[0] == "false\t\(late)" && lines[1] == "false\t\(late)")
        #expect(lines[2].hasPrefix("false\tbad argument #1 'request'"), "\(lines)")
    }

    @Test func `S1.5 what fails before it is sent gives nil and the error, with its cause`() throws {
        let fixture = try fixture()
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/down", .text(503, "down"))
        let lines = try lines(
            """
            local function try(request)
              local entity, err = rest.stream(request, error)
              print(entity, err.cause and err.cause.type or err.user_message, err.cause and err.cause.retry_at)
            end
            api:configure("**", function(c) c.breaker = { requests = 1, open = 1000 } end)
            api:resource("down"):request("GET"):await()
            try(api:define("GET", "large"))
            try(api:resource("large"):request("GET"))
            local limited = rest.service { name = "limited", base_url = "https://limited.test" }
            limited:configure(function(c)
              c.limits = { rate = { requests = 1, per = 1000 }, queue_timeout = 1 }
              c:decorate_requests(function(resource, request)
                return request:chained(function() return rest.use_this_response end)
              end)
            end)
            limited:resource("a"):request("GET")
            try(limited:resource("b"):request("GET"))
            local refusing = rest.service { name = "refusing", base_url = "https://refusing.test" }
            refusing:configure("/block", function(c) error("not this one") end)
            refusing:configure("/decorator", function(c)
              c:decorate_requests(function() error("nor this one") end)
            end)
            try(refusing:resource("/block"):request("GET"))
            try(refusing:resource("/decorator"):request("GET"))
            try(refusing:resource("/"):request("POST", { text = "\\u{20AC}", charset = "iso-8859-1" }))
            try(refusing:define("POST", "/", { text = "\\u{20AC}", charset = "iso-8859-1" }))
            try(refusing:resource("/"):request("POST", { file = "missing" }))
            try(rest.failed_request("not at all"))
            """, fixture)
        // Access to the file is checked elsewhere.
        #expect(lines.count == 9 && lines[7].hasPrefix("nil\t"), "\(lines)")
        #expect(
            lines.prefix(7) + lines.suffix(1) == [
                "nil\tcircuit_open\t1001000.0", "nil\tcircuit_open\t1001000.0",
                "nil\trate_limited\t1001000.0", "nil\tscript_error\tnil", "nil\tscript_error\tnil",
                "nil\tunencodable_text\tnil", "nil\tunencodable_text\tnil",
                "nil\tnot at all\tnil",
            ])
    }

    @Test func `S1.5 44.4 offline gives nil and the error, behind decorators too`() throws {
        let fixture = try fixture()
        fixture.engine.isOffline = true
        let lines = try lines(
            Self.repeating + """
                for _, path in ipairs { "empty", "large" } do
                  local entity, err = rest.stream(api:resource(path):request("GET"), error)
                  print(entity, err.cause.type)
                end
                """, fixture)
        #expect(lines == ["nil\toffline", "nil\toffline"])
    }

    @Test func `56.2 a request that failed before it was sent streams what its repeat brings`() throws {
        let fixture = try fixture()
        fixture.engine.isOffline = true
        let engine = fixture.engine
        engine.onEvent([.response]) { [unowned engine] _ in engine.isOffline = false }
        let lines = try lines(
            Self.repeating + """
                local bytes = 0
                local entity = rest.stream(api:resource("large"):request("GET"), function(chunk) bytes = bytes + #chunk end)
                print(entity.status, bytes)
                """, fixture)
        #expect(lines == ["200\t50000"])
    }
}
