import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// D34: the reason is part of an error's text. The text names the script if the fault is the script's.
@Suite(.leakChecked) @EngineActor
struct ReasonTests {
    /// The code of `examples/guide/error_message.lua`: it makes each error again from its parts.
    private static let again = """
        api:configure(function(c)
          c.pipeline.cleanup:add(rest.response_transformer(function(response)
            if response.ok then return response end
            local err = response.error
            return rest.failure(rest.error {
              user_message = err.user_message, http_status_code = err.http_status_code, entity = err.entity,
              cause = err.cause,
            })
          end))
        end)

        """

    private func text(_ declarations: String, path: String, _ prelude: String = "") throws -> String? {
        try output(
            declarations + "\n" + prelude + """
                rest.spawn(function() print(select(2, api:resource("\(path)"):get())) end)
                """
        ).last
    }

    @Test(arguments: [
        (
            "api:configure_transformer('list', { input = 'text', description = 'flat' }, print)", "list",
            "Cannot parse server response (200 OK): flat expects text, got json"
        ),
        (
            "api:configure_transformer('xml', { input = 'text', description = 'flat' }, print)", "xml",
            "Cannot parse server response (200 OK): flat expects text, got bytes: nothing before it decodes application/xml; "
                + "add a transformer for this content type to the decoding stage"
        ),
        (
            "api:configure_transformer('json', { output = 'text', description = 'flat' }, function(t) return { 1 } end)",
            "json", "Cannot parse server response (200 OK): flat returned table, but its 'output' is text"
        ),
        (
            "api:configure_transformer('json', { description = 'flat' }, function(t) local x = t.id end)",
            "json",
            "Cannot parse server response (200 OK): flat returned nil: is a 'return' missing in it?"
        ),
        ("", "broken", "Cannot parse server response (200 OK): malformed JSON at byte 1: a key is a string"),
        (
            "", "fragment",
            "Cannot parse server response (200 OK): JSON number where an object or array is expected"
        ),
        ("", "down", "Connection refused"), ("", "missing", "Not found (404): no such thing"),
        (
            "api:configure_transformer('json', function(t) return t.user.name end)", "json",
            "Script error (200 OK): test.lua:1: attempt to index a nil value (field 'user')"
        ),
        (
            "api:configure_transformer('json', function(t) error('no user') end)", "json",
            "no user (200 OK) (test.lua:1)"
        ),
        (
            "api:configure_transformer('json', function(t) error({ code = 5 }) end)", "json",
            "Script error (200 OK): test.lua:1: { code = 5 }"
        ),
    ])
    func `an error that is made anew of another's parts says the same`(
        declarations: String, path: String, expected: String
    ) throws {
        let line = "GET https://api.test/v1/\(path): \(expected)"
        #expect(try text(declarations, path: path) == line)
        #expect(try text(declarations, path: path, Self.again) == line)
    }

    @Test func `a cause that came back means the same to others`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            Self.again + "api:resource('broken'):load() api:resource('down'):load()")
        let codes = fixture.host?.services.first.map { service in
            ["broken", "down"].map { path -> String in
                switch service.resource(path).latestError?.cause {
                case .malformedJSON(let offset, _)?: "malformed at \(offset)"
                case .transport(let error)?: "\(error.code) \(error.phase.map { "\($0)" } ?? "")"
                case let other: "\(String(describing: other))"
                }
            }
        }
        #expect(codes == ["malformed at 1", "connectionFailed connect"])
        fixture.close()
    }

    @Test func `causes inside each other and errors as causes are reported`() throws {
        try expect(
            """
            rest.spawn(function()
              print(rest.error { user_message = "Sorry", cause = { type = "a", message = "b", cause = { message = "c" } } })
              local _, missing = api:resource("missing"):get()
              local err = rest.error { user_message = "No login", cause = missing }
              print(err, err.cause.type)
              local _, broken = api:resource("broken"):get()
              err = rest.error { user_message = "No login", cause = broken }
              print(err, err.cause.type, err.cause.offset)
              print(pcall(rest.error, { cause = "x" }))
            end)
            """,
            prints: [
                "Sorry: b: c", "No login: Not found (404)\thttp_4xx",
                "No login: malformed JSON at byte 1: a key is a string\tmalformed_json\t1",
                "false\toption 'cause' is a table, as in { type = \"mine\" }, or an error, not a string",
            ])
    }

    @Test func `every cause has a message`() throws {
        try expect(
            """
            api:configure_transformer("list", { input = "text", description = "flat" }, print)
            api:configure_transformer("json", { output = "text", description = "flat" }, function() return 5 end)
            rest.spawn(function()
              for _, path in ipairs { "list", "json", "fragment" } do
                local _, err = api:resource(path):get()
                print(err.user_message, err.cause.message, err.cause.side)
              end
            end)
            """,
            prints: [
                "Cannot parse server response\tflat expects text, got json\tnil",
                "Cannot parse server response\tflat returned number, but its 'output' is text\toutput",
                "Cannot parse server response\tJSON number where an object or array is expected\tnil",
            ])
    }

    @Test func `a call without a place gets the place of its function`() throws {
        try expect(
            """

            api:configure("text", function(c) c:mutate_requests(string.rep) end)
            api:configure("list", function(c) c:decorate_requests(rest.json.encode) end)
            api:configure_transformer("json", string.rep)
            rest.spawn(function()
              for _, path in ipairs { "text", "list", "json" } do
                local _, err = api:resource(path):get()
                print(err.cause.type, err.cause.file, err.cause.line)
              end
            end)
            """,
            prints: ["script_error\ttest.lua\t2", "script_error\ttest.lua\t3", "script_error\ttest.lua\t4"])
    }

    @Test func `a decorator that requests its own resource is an error, and nothing is sent`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """

            api:configure("text", function(c)
              c:decorate_requests(function(resource, request) return resource:request("GET") end)
            end)
            rest.spawn(function() print(select(2, api:resource("text"):get())) end)
            """)
        fixture.close()
        #expect(
            fixture.lines == [
                "GET https://api.test/v1/text: Script error: test.lua:3: this decorator of GET "
                    + "https://api.test/v1/text requests the same resource again, whose requests it decorates "
                    + "too, endlessly: return the given request, or use another method"
            ])
        #expect(fixture.transport.requests.isEmpty)
    }
}
