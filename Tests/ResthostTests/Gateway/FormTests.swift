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
            local broken = send("/all", "x")
            t.equal({ broken.status, broken.json.code }, { 400, "bad_form" })
            t.matches(broken.json.detail, "its boundary is nowhere in it")
            local other = send("/all", body, "text/plain")
            t.equal(other.status, 415)
            t.matches(other.json.detail, "its Content%-Type is text/plain")
            """)
    }

    @Test func `a route reads a body as it arrives`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("POST", "/count", { stream = true }, function(request)
              local count, pieces = 0, 0
              for piece in function() return request:read() end do count, pieces = count + #piece, pieces + 1 end
              return { count = count, inside = pieces > 1, rest = request:read() or "none" }
            end)
            gateway:route("POST", "/lines", { stream = true }, function(request)
              local first, rest = request:read(3), request:read("a")
              return { first, rest, request:read(1) or "none" }
            end)
            gateway:route("POST", "/parts", { stream = true }, function(request)
              local found = {}
              for part in request:parts() do
                table.insert(found, part.name)
                if part.name ~= "skipped" then table.insert(found, part.body:read(4) .. "|" .. part.body:read("a")) end
              end
              return found
            end)
            gateway:route("POST", "/body", { stream = true }, function(request) return request.body end)
            gateway:route("POST", "/twice", { stream = true }, function(request)
              request:read(1)
              return request:parts()
            end)
            gateway:route("POST", "/held", function(request)
              return { request:read(2), request:read(), request:read() or "none", request.body }
            end)
            """,
            """
            local count = ask("POST", "/count", { body = ("x"):rep(1000000) }).json
            t.equal(count, { count = 1000000, inside = true, rest = "none" })
            t.equal(ask("POST", "/count").json.count, 0)
            t.equal(ask("POST", "/lines", { body = "abcdefg" }).json, { "abc", "defg", "none" })
            t.equal(ask("POST", "/held", { body = "abcdefg" }).json, { "ab", "cdefg", "none", "abcdefg" })
            local function part(name, text)
              return '--b\\r\\nContent-Disposition: form-data; name="' .. name .. '"\\r\\n\\r\\n' .. text .. "\\r\\n"
            end
            local form = { ["Content-Type"] = "multipart/form-data; boundary=b" }
            local long = ("y"):rep(300000)
            local parts = ask("POST", "/parts", { headers = form,
              body = part("a", "1234567") .. part("skipped", long) .. part("c", "abcde" .. long) .. "--b--" })
            t.equal(parts.json, { "a", "1234|567", "skipped", "c", "abcd|e" .. long })
            local cut = ask("POST", "/parts", { headers = form, body = part("a", "1234567") })
            t.equal({ cut.status, cut.json.code }, { 400, "bad_form" })
            t.matches(ask("POST", "/body", { body = "x" }).json.detail, "use request:read")
            t.matches(ask("POST", "/twice", { headers = form, body = "xy" }).json.detail, "can be read once")
            """)
    }

    @Test func `a body that is too long to be held can be read in pieces`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("POST", "/read", function(request)
              local count = 0
              for piece in function() return request:read() end do count = count + #piece end
              return { count }
            end)
            gateway:route("POST", "/body", function(request) return { #request.body } end)
            """, options: #"limits = { body = "64KiB", stream_body = "10MiB" }"#,
            """
            local long = ("x"):rep(100000)
            t.equal(ask("POST", "/read", { body = long }).json, { 100000 })
            local refused = ask("POST", "/body", { body = long })
            t.equal({ refused.status, refused.json.code }, { 413, "body_too_large" })
            t.matches(refused.json.detail, "request:read")
            t.equal(ask("POST", "/body", { body = "abc" }).json, { 3 })
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
