import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Forms that clients send, through `host:request`.
@EngineActor
struct FormTests {
    @Test func `a route reads the parts of a form`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("POST", "/parts", function(request)
              local parts = {}
              for part in request:parts() do
                local pieces = {}
                for piece in function() return part.body:read(3) end do table.insert(pieces, piece) end
                table.insert(parts, {
                  part.name, part.filename or "-", part.content_type, part.headers["X-A"] or "-",
                  table.concat(pieces, "|") })
              end
              return parts
            end)
            gateway:route("POST", "/all", function(request)
              local texts = {}
              for part in request:parts() do
                table.insert(texts, part.body:read("a"))
                assert(part.body:read("a") == nil and part.body:read() == nil)
              end
              return texts
            end)
            """,
            """
            local function send(path, body, type)
              return ask("POST", path, { headers = { ["Content-Type"] = type or 'multipart/form-data; boundary="b"' },
                body = body:gsub("\\n", "\\r\\n") })
            end
            local body = '--b\\nContent-Disposition: form-data; name="a"\\n\\nabcdefg\\n'
              .. '--b\\nX-A: 1\\nContent-Type: text/csv\\nContent-Disposition: form-data; name="f"; filename="/etc/x.csv"\\n\\n'
              .. '1,2\\n--b--\\n'
            t.equal(send("/parts", body).json, {
              { "a", "-", "text/plain", "-", "abc|def|g" }, { "f", "x.csv", "text/csv", "1", "1,2" } })
            t.equal(send("/all", body).json, { "abcdefg", "1,2" })
            t.matches(send("/all", "x").json.detail, "its boundary is nowhere in it")
            t.matches(send("/all", body, "text/plain").json.detail, "its Content%-Type is text/plain")
            """)
    }

    @Test func `a test sends a form, and asks for a stream`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("POST", "/form", function(request) return { request.form.name, request.form.x } end)
            """,
            """
            host:stub("GET", "https://api.test/x", { json = { 1 } })
            t.equal(ask("POST", "/form", { form = { name = "a b&c", x = "+" } }).json, { "a b&c", "+" })
            local stream = ask("GET", "/api/x", { stream = true })
            t.equal(stream.events[1].event, "state")
            stream:close()
            t.equal(select(2, pcall(ask, "POST", "/form", { form = {}, json = {} })):find("one of", 1, true) ~= nil, true)
            """)
    }
}
