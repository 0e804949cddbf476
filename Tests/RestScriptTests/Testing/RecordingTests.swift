import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `host:replay` and `t.record`.
@Suite(.leakChecked) @EngineActor
struct RecordingTests {
    private static let har = """
        {"log":{"entries":[
        {"request":{"method":"GET","url":"https://api.test/v1/users/1"},"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":"{\\"login\\":\\"a\\"}"}}},
        {"request":{"method":"GET","url":"https://api.test/v1/users/1"},"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":"{\\"login\\":\\"b\\"}"}}},
        {"request":{"method":"POST","url":"https://api.test/v1/users","postData":{"mimeType":"application/json","text":"{\\"login\\":\\"c\\"}"}},"response":{"status":201}}
        ]}}
        """

    private func results(_ body: String, files: [String: String] = [:]) async throws -> [String] {
        try await testResults(
            """
            t.test("it", function() local host = t.host() \
            local api = host.rest.service { name = "api", base_url = "https://api.test/v1" } \(body)
            end)
            """, scripts: files.merging(["a.har": Self.har]) { $1 })
    }

    private nonisolated static let passing = [
        """
        host:replay "a.har"
        local user = api:resource("users/1")
        t.equal(t.assert(user:get()).login, "a")
        t.equal(t.assert(user:load():await()).content.login, "b")
        t.equal(t.assert(user:load():await()).content.login, "b")
        t.equal(t.assert(api:resource("users"):request("POST", { json = { login = "c" } }):await()).status, 201)
        """,
        """
        host:replay("a.har", { match = { "method", "url" } })
        t.assert(api:resource("users"):request("POST", { json = { login = "other" } }):await())
        """,
        """
        host:replay "a.har"
        host:stub("GET", "users/1", { json = { login = "stub" } })
        t.equal(t.assert(api:resource("users/1"):get()).login, "stub")
        """,
        """
        host:replay("a.har", { unused = "error" })
        t.assert(api:resource("users/1"):get())
        t.assert(api:resource("users/1"):load():await())
        t.assert(api:resource("users"):request("POST", { json = { login = "c" } }):await())
        """,
    ]

    @Test(arguments: passing) func `49.1 49.2 49.3 a host answers from a recording`(body: String) async throws
    {
        #expect(try await results(body) == ["ok it"])
    }

    private nonisolated static let failing = [
        (
            "host:replay 'a.har' api:resource('users/2'):get()",
            "a.har has no answer to GET https://api.test/v1/users/2; the nearest is entry 1, GET https://api.test/v1/users/1"
        ),
        (
            "host:replay('a.har', { unused = 'error' }) api:resource('users/1'):get()",
            "a.har has answers that nobody asked for:\n  entry 2, GET https://api.test/v1/users/1\n  entry 3, POST https://api.test/v1/users"
        ),
        ("host:replay 'b.har'", "b.har: it can't be read: No such file or directory"),
        ("host:replay('a.har', { match = { 'uri' } })", "option 'match' knows no 'uri': did you mean 'url'?"),
        ("host:replay('a.har', { match = {} })", "option 'match' is empty"),
        ("host:replay('a.har', { unused = 'warn' })", "option 'unused' is \"ignore\" or \"error\""),
        ("host:replay('a.har', { matches = {} })", "did you mean 'match'?"),
        ("host:replay '/etc/passwd'", "reading '/etc/passwd' is not allowed"),
        ("t.record '/a.har'", "writing '/a.har' is not allowed"),
    ]

    @Test(arguments: failing) func `49.5 49.7 what fails says why`(body: String, message: String) async throws
    {
        let lines = try await results(body)
        #expect(lines.count == 1 && lines[0].contains(message), "\(lines)")
    }

    @Test func `t.record writes what hosts send, and the recording answers the same`() async throws {
        let fixture = TestFileFixture()
        try fixture.load(
            """
            local function ask(host)
              local api = host.rest.service { name = "api", base_url = "https://api.test/v1" }
              return t.assert(api:resource("users/1"):get()).login
            end
            t.test("record", function()
              t.record "new.har"
              local host = t.host()
              host:stub("GET", "https://api.test/v1/users/1", { json = { login = "recorded" } })
              t.equal(ask(host), "recorded")
            end)
            t.test("replay", function()
              local host = t.host()
              host:replay("new.har", { unused = "error" })
              t.equal(ask(host), "recorded")
            end)
            """)
        await fixture.run()
        #expect(fixture.lines == ["ok record", "ok replay"])
        let document = try Tree(json: try WholeFile.read(fixture.folder.path + "/new.har", limit: 1 << 20))
        #expect(HARSchema.faults(document) == [])
        fixture.close()
    }

    @Test func `49.4 a script that logs in anew does so in a replay as well`() async throws {
        let fixture = TestFileFixture()
        try fixture.load(
            """
            local function ask(host)
              local rest, token, logins = host.rest, "t1", 0
              local api = rest.service { name = "api", base_url = "https://api.test/v1" }
              api:configure("**", function(c)
                c.headers["Authorization"] = token
                c:decorate_requests(rest.refresh_on(401, function()
                  logins = logins + 1
                  local entity, err = api:resource("login"):request("POST", { json = { user = "me" } }):await()
                  if not entity then return nil, err end
                  token = entity.content.access_token
                  api:invalidate_configuration()
                  return true
                end))
              end)
              local first = t.assert(api:resource("a"):get())
              local chain = api:resource("b"):request("GET"):chained(function(info)
                return rest.pass_to(api:resource("c"):request("GET"))
              end)
              return first .. " " .. t.assert(chain:await()).text .. " " .. logins
            end
            t.test("record", function()
              t.record "new.har"
              local host = t.host()
              host:stub("POST", "https://api.test/v1/login", { json = { access_token = "t2" } })
              host:stub("GET", "https://api.test/v1/*", function(request)
                if request.headers["Authorization"] ~= "t2" then return { status = 401 } end
                return { text = request.url:sub(-1) }
              end)
              t.equal(ask(host), "a c 1")
            end)
            t.test("replay", function()
              local host = t.host()
              host:replay("new.har", { unused = "error" })
              t.equal(ask(host), "a c 1")
            end)
            """)
        await fixture.run()
        #expect(fixture.lines == ["ok record", "ok replay"])
        fixture.close()
    }
}
